import { Command } from '@nestjs/cqrs';
import type { CommandEnvelope, Executed } from '../../event-store/command-execution.js';
import type { Caller } from '../../kernel/caller.js';
import type { Rejection } from '../../kernel/rejection.js';
import type { Result } from '../../kernel/result.js';
import type { Agent } from '../domain/agent.js';
import type { AgentCommand } from '../domain/commands.js';

/**
 * Registers or changes an agent on a caller's behalf. Answers with the agent as of the command's
 * last event; refuses with the codes of the decider and of `CommandExecution`.
 */
export class PerformAgentCommand extends Command<Result<Executed<Agent>, Rejection>> {
  constructor(
    readonly command: AgentCommand,
    readonly caller: Caller,
    readonly envelope: CommandEnvelope,
  ) {
    super();
  }
}
