import type { A2aConfig } from '../../config/hosted-agents.js';
import type { Caller } from '../../kernel/caller.js';
import type { TaskOwner } from './domain/task.js';

/** Whose tasks a caller's are: with a token, what the token says; without one, as the deployment has it. */
export function ownerOf(caller: Caller | null, anonymous: A2aConfig['anonymous']): TaskOwner {
  if (caller === null) {
    return { kind: 'anonymous', sharing: anonymous === 'shared' ? 'shared' : 'secret' };
  }
  const { tenant, principal, agent } = caller;
  return { kind: 'principal', tenant, principal, agent };
}
