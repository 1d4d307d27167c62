import type { Contract } from '../../kernel/federated-interaction.js';
import type { TermsHash } from '../../kernel/ids.js';
import { termsHash } from '../../kernel/terms.js';
import { failure, type Flaw } from './check-result.js';

interface Terms {
  readonly contract: Contract;
  readonly termsHash: TermsHash;
}

/** The hash is recomputed; the one in the document is only compared. */
export function termsHashFlaw(terms: Terms): Flaw | undefined {
  return termsHash(terms.contract) === terms.termsHash ? undefined : failure('terms-hash-mismatch');
}

/** The hash does not cover `signatures`, so that nothing may hide there. */
export function signaturesFlaw({ contract }: Terms): Flaw | undefined {
  return Object.keys(contract.signatures).length === 0
    ? undefined
    : failure('signatures-not-empty');
}
