import type { AgentCapabilities } from '../../capabilities/queries/capability-registry.js';
import type { Caller } from '../../kernel/caller.js';
import type { Part } from '../wire/types.js';

/** A message that names no skill, and all that tells what it is for. */
export interface RoutingSubject {
  readonly capabilities: AgentCapabilities;
  readonly caller: Caller | null;
  /** All parts of the caller about this: of the first message and of answers to questions. */
  readonly parts: readonly Part[];
  /** The skill that the client prefers, as it was sent: an unchecked hint. */
  readonly preferredSkill: string | undefined;
  /** What was answered to the question which skill is meant; empty if nothing was asked. */
  readonly answer: string;
  readonly signal: AbortSignal;
}
