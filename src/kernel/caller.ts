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
  readonly scopes: ReadonlySet<Scope>;
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
