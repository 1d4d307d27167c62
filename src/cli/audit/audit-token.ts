import { AuditFault } from './audit-fault.js';

const NEEDED = 'audit:read-all';

/**
 * A token that says itself that it does not see the whole log audits none: of a part neither root nor
 * order can be recomputed, and everything would look forged. One that says nothing may see all.
 * @throws {AuditFault} `usage`
 */
export function requireWholeSight(token: string): void {
  const scopes = scopesOf(token);
  if (scopes === undefined || scopes.includes(NEEDED)) return;
  throw new AuditFault(
    'usage',
    `the token lacks the scope ${NEEDED}: of a part of the log no root can be recomputed; verify the ` +
      'evidence bundles of your interactions instead (countersign verify)',
  );
}

/** Of a JWT (RFC 9068 section 2.2.3), read without any check: it is the reader's own. */
function scopesOf(token: string): readonly string[] | undefined {
  try {
    const claims = JSON.parse(
      Buffer.from(token.split('.')[1] ?? '', 'base64url').toString(),
    ) as unknown;
    const scope =
      typeof claims === 'object' && claims !== null && 'scope' in claims && claims.scope;
    return typeof scope === 'string' ? scope.split(' ') : undefined;
  } catch {
    return undefined;
  }
}
