import { Inject } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { Config } from '../../config/config.js';
import { hostTenant } from '../../config/hosted-agents.js';
import { CONFIG } from '../../config/tokens.js';
import type { Executed } from '../../event-store/command-execution.js';
import type { Rejection } from '../../kernel/rejection.js';
import { ok, type Result } from '../../kernel/result.js';
import { AgentExecution } from '../agent-execution.js';
import type { Agent } from '../domain/agent.js';
import { agentStream } from '../domain/stream.js';
import { PerformAgentCommand } from './perform-agent-command.js';

@CommandHandler(PerformAgentCommand)
export class PerformAgentCommandHandler implements ICommandHandler<PerformAgentCommand> {
  constructor(
    private readonly execution: AgentExecution,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  async execute({
    command,
    caller,
    envelope,
  }: PerformAgentCommand): Promise<Result<Executed<Agent>, Rejection>> {
    const { publicBaseUrl: audience, signingLeewayMs: leewayMs, a2a } = this.config;
    const context = {
      leewayMs,
      audience,
      caller,
      hostTenant: hostTenant(a2a.agents, command.agentId),
    };
    const stream = agentStream(command.agentId);
    // An agent is decided on by itself: there is nothing that the decision was based on besides.
    const executed = await this.execution.execute(stream, command, envelope, async (_, now) =>
      ok({ context: { ...context, now: now() }, basedOn: {} }),
    );
    if (!executed.ok) return executed;
    const { state } = executed.value;
    if (state === null) throw new Error(`${stream} has a command but no registration`);
    return ok({ ...executed.value, state });
  }
}
