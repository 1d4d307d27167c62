import { QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import type { AgentId } from '../../kernel/ids.js';
import { AgentExecution } from '../agent-execution.js';
import type { Agent } from '../domain/agent.js';
import { agentStream } from '../domain/stream.js';
import { AgentHeads } from './agent-heads.js';

@QueryHandler(AgentHeads)
export class AgentHeadsHandler implements IQueryHandler<AgentHeads> {
  constructor(private readonly execution: AgentExecution) {}

  async execute({ agentIds }: AgentHeads): Promise<ReadonlyMap<AgentId, Agent>> {
    const heads = await Promise.all(
      Array.from(new Set(agentIds), (agentId) =>
        this.execution.repository.load(agentStream(agentId)),
      ),
    );
    const agents = heads.map(({ state }) => state).filter((state) => state !== null);
    return new Map(agents.map((agent) => [agent.agentId, agent]));
  }
}
