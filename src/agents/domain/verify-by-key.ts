import type { KeyId } from '../../kernel/ids.js';
import type { Rejection } from '../../kernel/rejection.js';
import { verifyStatement, type Statement } from '../../kernel/statements.js';
import type { Timestamp } from '../../kernel/timestamp.js';
import type { Agent } from './agent.js';
import { validKey } from './keys.js';
import { isWithinLeeway } from './signed-moment.js';

/**
 * Why a statement does not count as signed by the agent; undefined when it does. The key must be
 * valid now, as the log and the server's clock have it: whatever moment was signed, a retired key cannot
 * sign back into its window.
 *
 * Refuses with `key-not-found`, `key-not-valid`, `signed-time-out-of-range` and `signature-invalid`.
 *
 * @param signature its bytes (base64url) and the moment that the statement names.
 */
export function refusalByKey(
  agent: Agent,
  signature: { readonly keyId: KeyId; readonly signedAt: Timestamp; readonly value: string },
  statement: Statement,
  { now, leewayMs }: { readonly now: Timestamp; readonly leewayMs: number },
): Rejection | undefined {
  const { keyId, signedAt, value } = signature;
  const key = validKey(agent, keyId, now);
  if (typeof key === 'string') return { code: key };
  if (!isWithinLeeway(signedAt, now, leewayMs)) return { code: 'signed-time-out-of-range' };
  return verifyStatement(key.jwk, statement, value) ? undefined : { code: 'signature-invalid' };
}
