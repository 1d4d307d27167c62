import type { FastifyInstance, FastifyRequest } from 'fastify';
import { REJECTIONS } from '../kernel/rejection.js';
import {
  parseStrictJson,
  SIGNED_DOCUMENT_LIMITS,
  type StrictJsonLimits,
} from '../kernel/strict-json.js';
import { RejectionException } from './rejection-exception.js';

/** Which bodies routes take, and how large. */
export interface JsonBodies {
  /** Media types of JSON, in lower case and without parameters. */
  readonly mediaTypes: readonly string[];
  readonly limits: StrictJsonLimits;
}

/** Any request may carry a signed document, and none needs more. */
export const DOCUMENTS: JsonBodies = {
  mediaTypes: ['application/json'],
  limits: SIGNED_DOCUMENT_LIMITS,
};

const UTF8_PARAMETERS = /^[^;]+(?:;\s*charset\s*=\s*"?utf-8"?)?\s*;?\s*$/i;

/**
 * Makes JSON (RFC 8259, UTF-8) the only body that the routes of a scope take, read by the strict
 * parser. An empty body is no body. Refuses with the `json-…` codes and `media-type-unsupported`.
 */
export function registerJsonBody(
  fastify: FastifyInstance,
  { mediaTypes, limits }: JsonBodies,
): void {
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser(
    [...mediaTypes],
    { parseAs: 'buffer', bodyLimit: limits.maxBytes },
    (request, bytes: Buffer, done) => {
      if (!UTF8_PARAMETERS.test(request.headers['content-type'] ?? '')) {
        done(new RejectionException({ code: 'media-type-unsupported' }));
        return;
      }
      if (bytes.length === 0) {
        done(null, undefined);
        return;
      }
      const parsed = parseStrictJson(bytes, limits);
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
