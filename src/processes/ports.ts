import type { Agent } from '../agents/domain/agent.js';
import type { CommandEnvelope } from '../event-store/command-execution.js';
import type { KeyStore } from '../event-store/key-store.js';
import type { Position } from '../event-store/port.js';
import type { CommandOf } from '../interactions/domain/commands.js';
import type { Interaction } from '../interactions/domain/interaction.js';
import type { AgentId, InteractionId } from '../kernel/ids.js';
import type { Rejection } from '../kernel/rejection.js';
import type { Result } from '../kernel/result.js';

/** What the processes need of the interactions context. */
export interface Interactions {
  /** Folded to its stream's head; undefined when there is none. */
  find(interactionId: InteractionId): Promise<Interaction | undefined>;

  /** Refuses with the decider's codes and `contention`; throws when the store is away. */
  execute(
    interactionId: InteractionId,
    command: CommandOf<'expire' | 'auto-accept' | 'erase'>,
    envelope: CommandEnvelope,
  ): Promise<Result<unknown, Rejection>>;
}

/** What the processes need of the key store. */
export type DataKeys = Pick<KeyStore, 'destroy' | 'findAll'>;

/** What the processes need of the agents context. */
export interface Agents {
  /** Folded to their streams' heads; unknown ids are absent. */
  heads(agentIds: readonly AgentId[]): Promise<ReadonlyMap<AgentId, Agent>>;

  /** As the log held it before the event at a position; undefined when it was not registered then. */
  before(agentId: AgentId, position: Position): Promise<Agent | undefined>;
}
