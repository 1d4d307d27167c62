import type { JWTPayload } from 'jose';
import type { ClaimNames } from '../../config/config.js';
import { isScope, SCOPES, type Caller } from '../../kernel/caller.js';
import { parseAgentId } from '../../kernel/ids.js';
import { err, ok, type Result } from '../../kernel/result.js';

const MAX_NAME_LENGTH = 255;

/**
 * The caller that the claims of a verified token amount to: `sub` is the principal, `client_id`
 * (RFC 9068) or `azp` the client, `scope` (a text) or `scp` (a text or a list) the scopes; agent and
 * tenant stand under configured names.
 *
 * Refuses with one sentence about the claim that is missing or malformed.
 */
export function callerOf(payload: JWTPayload, names: ClaimNames): Result<Caller, string> {
  const principal = name(payload.sub);
  if (principal === undefined) return err('The token has no usable sub claim.');
  const tenant = name(claim(payload, names.tenant));
  if (tenant === undefined) return err('The token has no usable tenant claim.');
  const clientClaim = claim(payload, 'client_id') ?? claim(payload, 'azp') ?? null;
  const client = clientClaim === null ? null : name(clientClaim);
  if (client === undefined) return err('The client claim of the token is malformed.');
  const agentClaim = claim(payload, names.agent) ?? null;
  const agent = typeof agentClaim === 'string' ? parseAgentId(agentClaim) : undefined;
  if (agentClaim !== null && agent === undefined) {
    return err('The agent claim of the token is no agent id.');
  }
  const allScopes = scopesOf(payload);
  const scopes = new Set(SCOPES.filter((scope) => allScopes.has(scope)));
  return ok({ principal, client, agent: agent ?? null, tenant, scopes, allScopes });
}

/** Claims have names such as `constructor` too, so only own members count. */
function claim(payload: JWTPayload, member: string): unknown {
  return Object.hasOwn(payload, member) ? payload[member] : undefined;
}

/** A text that can be stored and hashed: not empty, not endless, no lone surrogate. */
function name(value: unknown): string | undefined {
  if (typeof value !== 'string' || value === '' || value.length > MAX_NAME_LENGTH) return undefined;
  return value.isWellFormed() ? value : undefined;
}

function scopesOf(payload: JWTPayload): ReadonlySet<string> {
  const value = claim(payload, 'scope') ?? claim(payload, 'scp');
  const granted: readonly unknown[] =
    typeof value === 'string' ? value.split(' ') : Array.isArray(value) ? value : [];
  return new Set(
    granted.filter((scope): scope is string => typeof scope === 'string' && isScope(scope)),
  );
}
