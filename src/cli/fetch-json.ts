import { isSecureUrl } from '../config/addresses.js';
import type { Json } from '../kernel/json.js';
import { err, ok, type Result } from '../kernel/result.js';
import type { StrictJsonLimits } from '../kernel/strict-json.js';
import { cliFault, type CliFault } from './cli-fault.js';
import { parseJson } from './input.js';

/** A document of 200 revisions is larger than any single contract. */
export const DOCUMENT_LIMITS: StrictJsonLimits = {
  maxBytes: 64 * 1024 * 1024,
  maxDepth: 64,
  maxValues: Infinity,
};

const TIMEOUT_MS = 10_000;

export function isWebAddress(source: string): boolean {
  return /^https?:\/\//i.test(source);
}

/**
 * Gets a JSON document within 10 s and 64 MiB. Redirects are not followed, so that a token goes
 * nowhere but to the address that was named; and it goes there only over https or within this
 * machine.
 *
 * Refuses with `usage`, `keys-unreachable` and the codes of the strict parser.
 */
export async function fetchJson(
  address: string,
  token: string | undefined,
): Promise<Result<Json, CliFault>> {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined) return err(cliFault('usage', '--keys is no URL'));
  if (url.username !== '' || url.password !== '') {
    return err(cliFault('usage', 'no credentials in a URL: use --token'));
  }
  if (token !== undefined && !isSecureUrl(url, true)) {
    return err(cliFault('usage', 'a token is sent only over https or to this machine'));
  }
  const bytes = await download(url, token);
  return bytes.ok ? parseJson(bytes.value, DOCUMENT_LIMITS) : bytes;
}

async function download(
  url: URL,
  token: string | undefined,
): Promise<Result<Uint8Array, CliFault>> {
  try {
    const response = await fetch(url, {
      headers: {
        accept: 'application/json',
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
      },
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    if (response.status !== 200 || response.body === null) {
      await response.body?.cancel();
      return err(unreachable(`${url.host} answered with HTTP ${response.status}`));
    }
    const chunks: Uint8Array[] = [];
    let size = 0;
    for await (const chunk of response.body as AsyncIterable<Uint8Array>) {
      size += chunk.length;
      if (size > DOCUMENT_LIMITS.maxBytes) {
        return err(cliFault('json-too-large', `${url.host} sent more than 64 MiB`));
      }
      chunks.push(chunk);
    }
    return ok(Buffer.concat(chunks));
  } catch (error) {
    // The message of the error may repeat the request: only its kind is told.
    const timedOut = error instanceof Error && error.name === 'TimeoutError';
    const why = timedOut ? `did not answer within ${TIMEOUT_MS / 1000} s` : 'cannot be reached';
    return err(unreachable(`${url.host} ${why}`));
  }
}

function unreachable(detail: string): CliFault {
  return cliFault('keys-unreachable', detail);
}
