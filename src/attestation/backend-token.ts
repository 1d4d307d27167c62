import type { KeyObject } from 'node:crypto';
import { SignJWT } from 'jose';
import type { KeyId } from '../kernel/ids.js';
import type { JsonObject } from '../kernel/json.js';

/**
 * The type of tokens that backends get (RFC 8725 section 3.11), of this service alone: whoever
 * verifies access tokens by their type refuses them, this service among them.
 */
const TYPE = 'backend+jwt';

/** A signed token of these claims in compact form. */
export function signBackendToken(
  keyId: KeyId,
  privateKey: KeyObject,
  claims: JsonObject,
): Promise<string> {
  return new SignJWT({ ...claims })
    .setProtectedHeader({ alg: 'EdDSA', typ: TYPE, kid: keyId })
    .sign(privateKey);
}
