/** A body that is longer than whoever reads it takes. */
export class BodyTooLong extends Error {
  override readonly name = 'BodyTooLong';
}

/**
 * The bytes of a response's body.
 * @throws {BodyTooLong} when it is longer, whatever its headers claim; the rest is never read
 */
export async function boundedBody(response: Response, maxBytes: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  if (response.body === null) return Buffer.alloc(0);
  for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
    length += chunk.byteLength;
    if (length > maxBytes) throw new BodyTooLong(`the answer is longer than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
