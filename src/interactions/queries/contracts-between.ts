import type { AgentId, InteractionId } from '../../kernel/ids.js';
import type { Timestamp } from '../../kernel/timestamp.js';
import type { Interaction } from '../domain/interaction.js';

/** One interaction as its stream told it at some moment. */
export interface InteractionSnapshot {
  readonly interaction: Interaction;
  readonly stream: string;
  /** Of the stream's last event that counts. */
  readonly streamRevision: number;
}

/** The interactions of two agents that have, or had, terms in force. */
export interface ContractsOfPair {
  /**
   * Those whose status is active: all of them, none missing, each as the log had it when it was
   * asked. The same object as long as nothing changed between the two, so that what follows from it
   * can be remembered by it (`oncePerObject`).
   */
  readonly active: readonly InteractionSnapshot[];
  /** Whether there was ever one between them. */
  readonly hadAny: boolean;
  /** A stream between them could not be read completely: nothing may be granted. */
  readonly isReliable: boolean;
}

/**
 * Finds the contracts between two agents, at the head of the log: what was appended before the
 * question, by whichever node, counts, however far the views are behind.
 */
export abstract class ContractsBetween {
  abstract now(one: AgentId, other: AgentId): Promise<ContractsOfPair>;

  /**
   * The same at a moment of the past: what had been recorded at or before it. An expiry is judged by
   * `expiresAt`, as everywhere.
   */
  abstract at(one: AgentId, other: AgentId, moment: Timestamp): Promise<ContractsOfPair>;

  /** One interaction of the two, whatever its status; undefined when it is none between them. */
  abstract named(
    one: AgentId,
    other: AgentId,
    interactionId: InteractionId,
    moment?: Timestamp,
  ): Promise<InteractionSnapshot | undefined>;
}
