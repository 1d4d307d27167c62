import type { FastifyInstance, FastifyRequest } from 'fastify';
import { REJECTIONS } from '../kernel/rejection.js';
import { parseStrictJson, SIGNED_DOCUMENT_LIMITS } from '../kernel/strict-json.js';
import { RejectionException } from './rejection-exception.js';

/** Largest body in bytes: any request may carry a signed document, and none needs more. */
export const BODY_LIMIT = SIGNED_DOCUMENT_LIMITS.maxBytes;

const UTF8_PARAMETERS = /^application\/json(?:\s*;\s*charset\s*=\s*"?utf-8"?)?\s*;?\s*$/i;

/**
 * Makes `application/json` (RFC 8259, UTF-8) the only body that routes take, read by the strict
 * parser. An empty body is no body. Refuses with the `json-…` codes and `media-type-unsupported`.
 */
export function registerJsonBody(fastify: FastifyInstance): void {
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer', bodyLimit: BODY_LIMIT },
    (request, bytes: Buffer, done) => {
      if (!UTF8_PARAMETERS.test(request.headers['content-type'] ?? '')) {
        done(new RejectionException({ code: 'media-type-unsupported' }));
        return;
      }
      if (bytes.length === 0) {
        done(null, undefined);
        return;
      }
      const parsed = parseStrictJson(bytes);
      if (parsed.ok) {
        done(null, parsed.value);
        return;
      }
      const { code, pointer } = parsed.error;
      const faults = pointer === '' ? {} : { faults: [{ pointer, detail: REJECTIONS[code] }] };
      done(new RejectionException({ code, ...faults }));
    },
  );
}

/** A coded body would let 256 KiB on the wire become any size in memory; none is accepted. */
export function refuseContentCoding(request: FastifyRequest): void {
  const coding = request.headers['content-encoding'];
  if (coding === undefined || coding.toLowerCase() === 'identity') return;
  throw new RejectionException(
    { code: 'media-type-unsupported', detail: 'Request bodies are sent without a content coding.' },
    { 'accept-encoding': 'identity' },
  );
}
