import { Query } from '@nestjs/cqrs';
import type { AgentId } from '../../kernel/ids.js';
import type { Agent } from '../domain/agent.js';

/**
 * Agents as they are now, each folded up to its stream's head; `agent.revision` is what a decision
 * that rests on it records as `basedOn` for `agentStream(agentId)`. Unknown ids are absent, retired
 * agents are there. For other contexts too; never for showing to a caller.
 */
export class AgentHeads extends Query<ReadonlyMap<AgentId, Agent>> {
  constructor(readonly agentIds: Iterable<AgentId>) {
    super();
  }
}
