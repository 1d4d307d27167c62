import { request as requestHttp, type IncomingMessage } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { LinkedSignal } from '../../../threads/linked-signal.js';
import type { PushConfig } from '../domain/push-config.js';
import type { WebhookTarget } from './webhook-target.js';

/** What became of one POST. */
export type PostOutcome =
  | { readonly kind: 'taken' }
  /** Not now: a connection that failed, 408, 425, 429, 5xx. */
  | {
      readonly kind: 'later';
      readonly reason: string;
      /** What `Retry-After` asks for, in milliseconds. */
      readonly retryAfterMs: number | null;
    }
  /** Never: any other answer, a redirect among them. */
  | { readonly kind: 'refused'; readonly reason: string };

/** For the whole exchange, in milliseconds (A2A v1.0 section 4.3.3 recommends 10 to 30 s). */
const POST_MS = 10_000;
/** Of an answer's body, which nobody reads; the connection is ended after so many. */
const MAX_ANSWER_BYTES = 16 * 1024;

/**
 * Sends one notification (A2A v1.0 section 4.3.3): the StreamResponse as `application/a2a+json`.
 * The connection goes to the addresses that were judged, follows no redirect, and is not kept.
 *
 * @param deliveryId the same at every try of this notification.
 */
export async function postNotification(
  { url, addresses }: WebhookTarget,
  config: PushConfig,
  deliveryId: string,
  body: string,
  signal: AbortSignal,
): Promise<PostOutcome> {
  const send = url.protocol === 'https:' ? requestHttps : requestHttp;
  const limit = new LinkedSignal([signal], POST_MS);
  return await new Promise((resolve) => {
    const post = send(url, {
      method: 'POST',
      agent: false,
      headers: { ...headersOf(config, deliveryId), 'Content-Length': Buffer.byteLength(body) },
      lookup: lookupAmong(addresses),
      signal: limit.signal,
    });
    post.on('response', (response) => {
      resolve(outcomeOf(response));
      drain(response);
    });
    post.on('error', (error) => {
      resolve({ kind: 'later', reason: reasonOf(error), retryAfterMs: null });
    });
    // Without either of them: the other side switched protocols. Anything else is settled already.
    post.on('close', () => {
      limit.end();
      resolve({ kind: 'later', reason: 'no answer', retryAfterMs: null });
    });
    post.end(body);
  });
}

function headersOf(config: PushConfig, deliveryId: string): Record<string, string> {
  const { token, authentication } = config;
  const headers: Record<string, string> = {
    'Content-Type': 'application/a2a+json',
    'A2A-Version': '1.0',
    'X-Countersign-Delivery': deliveryId,
    'User-Agent': 'countersign',
  };
  if (token !== undefined) headers['X-A2A-Notification-Token'] = token;
  if (authentication !== undefined) {
    const { scheme, credentials } = authentication;
    headers['Authorization'] = credentials === undefined ? scheme : `${scheme} ${credentials}`;
  }
  return headers;
}

/** In place of the resolver: only the addresses that were judged. */
function lookupAmong(addresses: WebhookTarget['addresses']): LookupFunction {
  const all = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_hostname, options, callback) => {
    if (options.all === true) callback(null, all);
    else callback(null, addresses[0], isIP(addresses[0]));
  };
}

function outcomeOf({ statusCode = 0, headers }: IncomingMessage): PostOutcome {
  if (statusCode >= 200 && statusCode < 300) return { kind: 'taken' };
  const reason = `status ${statusCode}`;
  const isPassing = [408, 425, 429].includes(statusCode) || statusCode >= 500;
  if (!isPassing) return { kind: 'refused', reason };
  return { kind: 'later', reason, retryAfterMs: retryAfter(headers['retry-after']) };
}

/** Delay-seconds (RFC 9110 section 10.2.3); the other form would need the other side's clock. */
function retryAfter(value: string | undefined): number | null {
  return value !== undefined && /^\d{1,6}$/.test(value) ? Number(value) * 1000 : null;
}

function drain(response: IncomingMessage): void {
  let bytes = 0;
  response.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > MAX_ANSWER_BYTES) response.destroy();
  });
  // The outcome is known; how the rest of the answer fares changes nothing.
  response.on('error', () => undefined);
}

/** Codes alone: a message may name addresses. */
function reasonOf(error: Error & { readonly code?: unknown }): string {
  if (error.name === 'AbortError') return 'no answer in time';
  return typeof error.code === 'string' ? error.code : 'the connection failed';
}
