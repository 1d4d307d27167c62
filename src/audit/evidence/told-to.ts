import type { AgentEvent } from '../../agents/domain/events.js';
import type { Agent } from '../../agents/domain/agent.js';
import type { Caller } from '../../kernel/caller.js';
import type { EventEnvelope } from '../../kernel/envelope.js';

const POLICY_CHANGED: AgentEvent['type'] = 'agent-policy-changed';

/** Says of an event whether a reader is told it. */
export type IsTold = (event: Pick<EventEnvelope, 'type' | 'schemaVersion'>) => boolean;

/**
 * Which events of a party the caller is told: all of them, since one that is not told may be about
 * keys or methods, and then nothing that the party signs later can be checked. What only its own
 * tenant is to know is sealed, under a key that no bundle holds.
 *
 * A change of policy in version 1 had the rules in the clear. Of another tenant's agent it is proved
 * to exist, and withheld; `audit:read-all` knows no foreign tenant.
 */
export function isToldTo(caller: Caller, agent: Pick<Agent, 'tenant'>): IsTold {
  const isOwn = agent.tenant === caller.tenant || caller.scopes.has('audit:read-all');
  return ({ type, schemaVersion }) => isOwn || type !== POLICY_CHANGED || schemaVersion > 1;
}
