import type { Ed25519Jwk } from '../../kernel/ed25519.js';
import { failure, gap, type Flaw } from './check-result.js';
import type { VerificationKey } from './verification-keys.js';

/**
 * A signature names a key that was not given. Usually that key is missing, and nothing can be said;
 * but when one of the signer's other keys made the signature, then the name is what is wrong.
 */
export function unknownKeyFlaw(
  name: string,
  others: ReadonlyMap<string, VerificationKey> | undefined,
  isSignedBy: (jwk: Ed25519Jwk) => boolean,
): Flaw {
  for (const { key, keyId } of others?.values() ?? []) {
    if (key.ok && isSignedBy(key.value)) return failure('key-id-wrong', `signed by ${keyId}`);
  }
  return gap('key-missing', name);
}
