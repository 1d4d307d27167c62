import type { Caller } from '../../kernel/caller.js';
import type { Rejection } from '../../kernel/rejection.js';
import { err, ok, type Result } from '../../kernel/result.js';
import { makeStatement, type AgentChangeStatement } from '../../kernel/statements.js';
import { actingAs } from './acting.js';
import type { Agent } from './agent.js';
import type { AgentChange, ChangeSignature } from './commands.js';
import type { AgentContext } from './context.js';
import type { ChangeAuthorization } from './events.js';
import { hasEverHadKeys } from './keys.js';
import { refusalByKey } from './verify-by-key.js';

/**
 * Says what entitles this caller to change this agent.
 *
 * - An agent that has ever had keys: a signature by a key of its own that is valid now, carried by a
 *   token that may act as the agent (or has `agents:admin`); or its owner's principal with
 *   `agents:admin`. So a stolen token changes nothing.
 * - An agent that never had keys: its owner's principal, or `agents:admin`. The agent's own clients
 *   and agent tokens are not enough: whoever stole one could register a first key and keep the agent.
 *
 * All of it within the agent's tenant, never by a token that is bound to another agent.
 *
 * Refuses with `scope-missing`, `not-acting-agent`, `change-signature-required`,
 * `signature-unexpected`, `key-not-found`, `key-not-valid`, `signed-time-out-of-range` and
 * `signature-invalid`.
 */
export function authorizeChange(
  agent: Agent,
  change: AgentChange,
  context: AgentContext,
): Result<ChangeAuthorization, Rejection> {
  const { caller } = context;
  if (!mayWriteAgents(caller)) return err({ code: 'scope-missing' });
  const isHome = caller.tenant === agent.tenant;
  const isBoundElsewhere = caller.agent !== null && caller.agent !== agent.agentId;
  if (!isHome || isBoundElsewhere) return err({ code: 'not-acting-agent' });

  const isAdmin = caller.scopes.has('agents:admin');
  const isOwner = caller.principal === agent.owner;
  if (!hasEverHadKeys(agent)) {
    if (change.signature !== undefined) return err({ code: 'signature-unexpected' });
    return isOwner || isAdmin ? ok({ by: 'token' }) : err({ code: 'not-acting-agent' });
  }
  if (change.signature === undefined) {
    return isOwner && isAdmin
      ? ok({ by: 'owner-admin' })
      : err({ code: 'change-signature-required' });
  }
  if (!isAdmin && actingAs(caller, agent) === undefined) return err({ code: 'not-acting-agent' });
  return verifyChange(agent, change.changeHash, change.signature, context);
}

/** Registering and changing agents needs one of the two scopes. */
export function mayWriteAgents(caller: Caller): boolean {
  return caller.scopes.has('agents:write') || caller.scopes.has('agents:admin');
}

function verifyChange(
  agent: Agent,
  changeHash: string,
  signature: ChangeSignature,
  context: AgentContext,
): Result<ChangeAuthorization, Rejection> {
  const { keyId, signedAt, value } = signature;
  const statement = makeStatement<AgentChangeStatement>('agent/change', {
    audience: context.audience,
    agentId: agent.agentId,
    changeHash,
    signedAt,
  });
  const refusal = refusalByKey(agent, signature, statement, context);
  if (refusal !== undefined) return err(refusal);
  return ok({ by: 'signature', keyId, signedAt, changeHash, value });
}
