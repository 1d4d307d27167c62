import { REJECTIONS, type RejectionCode } from '../kernel/rejection.js';
import { SIGNED_DOCUMENT_LIMITS } from '../kernel/strict-json.js';

/** What each code means over REST: the catalogue, with this transport's own limits. */
export const WORDS: Readonly<Record<RejectionCode, string>> = {
  ...REJECTIONS,
  'json-too-large': `The document is larger than ${SIGNED_DOCUMENT_LIMITS.maxBytes / 1024} KiB.`,
  'media-type-unsupported': 'Request bodies are application/json.',
};
