import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { sha256 } from '../kernel/digest.js';
import { matchesIfNoneMatch } from './etag.js';

/** More texts than all public documents together; beyond it the oldest are made anew. */
const MAX_KEPT_CHARACTERS = 8 * 1024 * 1024;

/** Entity tags of bytes that many answers send at once, with their quotes. */
const ETAGS = new WeakMap<Uint8Array, string>();

/** Declares that bytes are sent to whoever asks, and are never changed. */
export function shared(bytes: Buffer): Buffer {
  ETAGS.set(bytes, `"${sha256(bytes)}"`);
  return bytes;
}

/** The entity tag of bytes that were declared so. */
export function sharedEtag(bytes: Uint8Array): string {
  return ETAGS.get(bytes) ?? '';
}

/** True of bytes that one more answer adds nothing to. */
export function isShared(bytes: Uint8Array): boolean {
  return ETAGS.has(bytes);
}

/**
 * Public documents that are the same for everybody are one copy in memory, however many clients are
 * being sent them, and carry a strong entity tag (RFC 9110 section 8.8.3), by which a client that has
 * them is told so (304).
 *
 * @param isOfAll true of requests for such documents
 */
export function shareAnswers(
  fastify: FastifyInstance,
  isOfAll: (request: FastifyRequest) => boolean,
): void {
  const texts = new SharedTexts();
  fastify.addHook('onSend', (request, reply, payload, done) => {
    const bytes = isCacheable(reply) && isOfAll(request) ? texts.bytesOf(payload) : undefined;
    if (bytes === undefined) {
      done();
      return;
    }
    const etag = etagOf(reply, bytes);
    if (matchesIfNoneMatch(request.headers['if-none-match'] ?? null, etag)) {
      reply.code(304);
      done(null, null);
    } else done(null, bytes);
  });
}

function isCacheable(reply: FastifyReply): boolean {
  const { method } = reply.request;
  if (reply.statusCode !== 200 || (method !== 'GET' && method !== 'HEAD')) return false;
  return reply.getHeader('cache-control') !== 'no-store';
}

function etagOf(reply: FastifyReply, bytes: Buffer): string {
  const given = reply.getHeader('etag');
  if (typeof given === 'string') return given;
  const etag = sharedEtag(bytes);
  reply.header('etag', etag);
  return etag;
}

/** Texts by themselves: what is the same text is the same answer, and can never be an old one. */
class SharedTexts {
  readonly #bytes = new Map<string, Buffer>();
  #characters = 0;

  /** Undefined for what comes in pieces, or is bytes that nobody declared to be shared. */
  bytesOf(payload: unknown): Buffer | undefined {
    if (typeof payload !== 'string') {
      return payload instanceof Buffer && isShared(payload) ? payload : undefined;
    }
    const known = this.#bytes.get(payload);
    if (known !== undefined) return known;
    const bytes = shared(Buffer.from(payload));
    this.#bytes.set(payload, bytes);
    this.#characters += payload.length;
    this.#forgetOldest();
    return bytes;
  }

  #forgetOldest(): void {
    for (const text of this.#bytes.keys()) {
      if (this.#characters <= MAX_KEPT_CHARACTERS) return;
      this.#bytes.delete(text);
      this.#characters -= text.length;
    }
  }
}
