import { hashJson } from './digest.js';
import type { TermsHash } from './ids.js';

/**
 * The hash that parties accept: b64u(SHA-256(JCS({...contract, signatures: {}}))), 43 characters.
 * Timestamps count as written; nothing is normalised.
 */
export function termsHash(contract: object): TermsHash {
  return hashJson({ ...contract, signatures: {} }) as TermsHash;
}
