import { QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { AgentExecution } from '../agent-execution.js';
import type { Agent } from '../domain/agent.js';
import { agentStream } from '../domain/stream.js';
import { AgentBefore } from './agent-before.js';

@QueryHandler(AgentBefore)
export class AgentBeforeHandler implements IQueryHandler<AgentBefore> {
  constructor(private readonly execution: AgentExecution) {}

  async execute(query: AgentBefore): Promise<Agent | undefined> {
    const past = await this.execution.repository.loadWhile(
      agentStream(query.agentId),
      ({ position }) => position < query.position,
    );
    return past.state ?? undefined;
  }
}
