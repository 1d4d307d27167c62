import { Query } from '@nestjs/cqrs';
import type { Position } from '../../event-store/port.js';
import type { AgentId } from '../../kernel/ids.js';
import type { Agent } from '../domain/agent.js';

/**
 * The agent as the log held it before the event at a position; undefined when it was not registered
 * then. What came first is told by the log alone: the clocks of two nodes may differ. For other
 * contexts too; never for showing to a caller.
 */
export class AgentBefore extends Query<Agent | undefined> {
  constructor(
    readonly agentId: AgentId,
    readonly position: Position,
  ) {
    super();
  }
}
