import { countedAs } from '../../../kernel/caller.js';
import { hashJson } from '../../../kernel/digest.js';
import { deriveUuid, type AgentId, type Uuid } from '../../../kernel/ids.js';
import type { StoredTask, TaskOwner } from './task.js';

/**
 * Whether a task is this caller's. Anonymous callers find each other's tasks, by ids that only who
 * was told them knows; nobody else finds those, and they find nobody else's.
 */
export function owns(owner: TaskOwner, task: Pick<StoredTask, 'owner'>): boolean {
  const actual = task.owner;
  if (owner.kind === 'anonymous' || actual.kind === 'anonymous') return owner.kind === actual.kind;
  return (
    owner.tenant === actual.tenant &&
    owner.principal === actual.principal &&
    owner.agent === actual.agent
  );
}

/** Whose work is counted together: see {@link countedAs}. */
export function callerKey(owner: TaskOwner): string {
  return countedAs(owner.kind === 'anonymous' ? null : owner);
}

/** Who shares what there is for webhooks: a tenant; all that comes without a token is one more. */
export function tenantKey(owner: TaskOwner): string {
  return owner.kind === 'anonymous' ? 'anonymous' : `tenant ${owner.tenant}`;
}

/**
 * Under what an owner's tasks of an agent are listed. Null: they are not, since `secret` tasks are
 * for who knows their ids.
 */
export function listingKey(owner: TaskOwner, agentId: AgentId): string | null {
  if (owner.kind === 'principal') {
    return hashJson(['tasks-of', owner.tenant, owner.principal, owner.agent, agentId]);
  }
  return owner.sharing === 'shared' ? hashJson(['tasks-of', 'anonymous', agentId]) : null;
}

/**
 * The task that a message of this owner starts at this hosted agent. An owner that speaks for an
 * agent of its own has ids of its own too: another one's message of the same id never meets them.
 * Undefined for anonymous callers, whose messages are not told apart.
 */
export function taskIdOf(owner: TaskOwner, agentId: AgentId, messageId: string): Uuid | undefined {
  if (owner.kind === 'anonymous') return undefined;
  const { tenant, principal, agent } = owner;
  const speaksFor = agent === null ? [] : [agent];
  return deriveUuid(['message', tenant, principal, agentId, messageId, ...speaksFor]);
}
