import { BodyTooLong } from '../../http/bounded-body.js';
import type { Json } from '../../kernel/json.js';
import { AttemptFault } from './attempt-fault.js';
import { MAX_OUTPUT_BYTES, parseOutput } from './output.js';
import { sseMessages } from './sse-messages.js';

/**
 * The documents of an event stream up to the answer, as an event stream: each of them is read strictly
 * and written anew, so that whoever reads it after this reads what was read here.
 * @throws {AttemptFault} `answered` for what is no JSON with one meaning, `lost` when the stream ends
 * without the answer
 * @throws {BodyTooLong} and whatever `body` throws
 */
export async function* answerStream(
  body: ReadableStream<Uint8Array>,
  isAnswer: (document: Json) => boolean,
): AsyncGenerator<Uint8Array, void> {
  for await (const bytes of sseMessages(bounded(body))) {
    const parsed = parseOutput(bytes);
    if (!parsed.ok) throw new AttemptFault('answered', parsed.error);
    yield Buffer.from(`data: ${JSON.stringify(parsed.value)}\n\n`);
    if (isAnswer(parsed.value)) return;
  }
  throw new AttemptFault('lost', 'the stream ended without an answer');
}

async function* bounded(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  let length = 0;
  for await (const chunk of body) {
    length += chunk.byteLength;
    if (length > MAX_OUTPUT_BYTES) throw new BodyTooLong('the stream is too long');
    yield chunk;
  }
}
