import { Command } from '@nestjs/cqrs';
import type { CommandEnvelope, Executed } from '../../event-store/command-execution.js';
import type { Caller } from '../../kernel/caller.js';
import type { Rejection } from '../../kernel/rejection.js';
import type { Result } from '../../kernel/result.js';
import type { Capability } from '../domain/capability.js';
import type { CapabilityCommand } from '../domain/commands.js';

/**
 * Registers or changes a capability on a caller's behalf, and has the agent's card published when it
 * changes. Answers with the capability as of the command's last event; refuses as
 * `CapabilityCommands` does.
 */
export class PerformCapabilityCommand extends Command<Result<Executed<Capability>, Rejection>> {
  constructor(
    readonly command: CapabilityCommand,
    readonly caller: Caller,
    readonly envelope: CommandEnvelope,
  ) {
    super();
  }
}
