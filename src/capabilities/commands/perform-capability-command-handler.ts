import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { Executed } from '../../event-store/command-execution.js';
import type { Rejection } from '../../kernel/rejection.js';
import type { Result } from '../../kernel/result.js';
import type { Capability } from '../domain/capability.js';
import { targetOf } from '../domain/commands.js';
import { CapabilityCommands } from './capability-commands.js';
import { CardPublication } from './card-publication.js';
import { PerformCapabilityCommand } from './perform-capability-command.js';

@CommandHandler(PerformCapabilityCommand)
export class PerformCapabilityCommandHandler implements ICommandHandler<PerformCapabilityCommand> {
  constructor(
    private readonly capabilities: CapabilityCommands,
    private readonly cards: CardPublication,
  ) {}

  async execute({
    command,
    caller,
    envelope,
  }: PerformCapabilityCommand): Promise<Result<Executed<Capability>, Rejection>> {
    const executed = await this.capabilities.perform(command, caller, envelope);
    // The command stands, whatever becomes of the card: the card's next reader publishes it too.
    if (executed.ok) await this.cards.ensure(targetOf(command).agentId);
    return executed;
  }
}
