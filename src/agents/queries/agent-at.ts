import { Query } from '@nestjs/cqrs';
import type { AgentId } from '../../kernel/ids.js';
import type { Timestamp } from '../../kernel/timestamp.js';
import type { Agent } from '../domain/agent.js';

/**
 * The agent as it was at a moment: fold(recordedAt ≤ moment); undefined when it was not registered
 * then. For other contexts too; never for showing to a caller.
 */
export class AgentAt extends Query<Agent | undefined> {
  constructor(
    readonly agentId: AgentId,
    readonly moment: Timestamp,
  ) {
    super();
  }
}
