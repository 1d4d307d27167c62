import type { AgentId } from './ids.js';

/** What an access token says of whoever calls. Only the authenticator makes one. */
export interface Caller {
  /** The token's `sub`. */
  readonly principal: string;
  /** The OAuth client that the token was issued to. */
  readonly client: string | null;
  /** The agent that the token speaks for, when it is bound to one. */
  readonly agent: AgentId | null;
  readonly tenant: string;
  /** The scopes of this service that the token carries. */
  readonly scopes: ReadonlySet<Scope>;
  /** Every scope of the token, those of this service among them: what capabilities ask for. */
  readonly allScopes: ReadonlySet<string>;
}

/** The same caller, whose scopes are nobody else's: a set cannot be frozen. */
export function copyOfCaller(caller: Caller | null): Caller | null {
  if (caller === null) return null;
  const { scopes, allScopes } = caller;
  return { ...caller, scopes: new Set(scopes), allScopes: new Set(allScopes) };
}

/**
 * Whose doings are counted together: a calling agent's, whoever speaks for it, else a principal's; all
 * that comes without a token is one caller's.
 */
export function countedAs(caller: Pick<Caller, 'tenant' | 'principal' | 'agent'> | null): string {
  if (caller === null) return '';
  const { tenant, principal, agent } = caller;
  return JSON.stringify(agent === null ? [tenant, principal] : [tenant, 'agent', agent]);
}

/** Whose doings are counted together, of all callers of a tenant; all that comes without a token is one tenant's. */
export function tenantCountedAs(caller: Pick<Caller, 'tenant'> | null): string {
  return caller === null ? '' : JSON.stringify([caller.tenant]);
}

export const SCOPES = [
  'agents:write',
  'agents:admin',
  'interactions:write',
  'interactions:read',
  'capabilities:write',
  'capabilities:read',
  'approvals:decide',
  'operator:read',
  'operator:explain',
  'audit:read',
  'audit:read-all',
] as const;

export type Scope = (typeof SCOPES)[number];

const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]{1,255}$/;

/** RFC 6749 section 3.3: printable ASCII without spaces, `"` and `\\`; here of at most 255 characters. */
export function isScope(text: string): boolean {
  return SCOPE.test(text);
}
