import { QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { isBefore } from '../../kernel/timestamp.js';
import { AgentExecution } from '../agent-execution.js';
import type { Agent } from '../domain/agent.js';
import { agentStream } from '../domain/stream.js';
import { AgentAt } from './agent-at.js';

@QueryHandler(AgentAt)
export class AgentAtHandler implements IQueryHandler<AgentAt> {
  constructor(private readonly execution: AgentExecution) {}

  async execute({ agentId, moment }: AgentAt): Promise<Agent | undefined> {
    const past = await this.execution.repository.loadWhile(
      agentStream(agentId),
      ({ recordedAt }) => !isBefore(moment, recordedAt),
    );
    return past.state ?? undefined;
  }
}
