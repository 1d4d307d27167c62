import type { Capability } from '../../capabilities/domain/capability.js';
import type { Caller } from '../../kernel/caller.js';
import type { AgentId, SkillId } from '../../kernel/ids.js';
import type { Authorization, NamedContract } from '../domain/authorization.js';

/** What is asked. */
export interface AuthorizationQuestion {
  /** The hosted agent. */
  readonly agentId: AgentId;
  readonly skillId: SkillId;
  /** Null: no token. */
  readonly caller: Caller | null;
  /** Null: the message names none. */
  readonly named: NamedContract | null;
}

/** What was decided, and from what. */
export interface AuthorizationAnswer {
  readonly decision: Authorization;
  /** At the head of its stream; null when there is none of this id. Not to be shown unless entitled. */
  readonly capability: Capability | null;
  /** The streams that the decision was read from: name to revision of their last event. */
  readonly basedOn: Readonly<Record<string, number>>;
}

/**
 * Says whether a call may be made, from what stands at the heads of the streams at the time of the
 * question: whatever was appended to the log before, by whichever node, counts. Views only find
 * candidates.
 */
export abstract class Authorizer {
  abstract authorize(question: AuthorizationQuestion): Promise<AuthorizationAnswer>;
}
