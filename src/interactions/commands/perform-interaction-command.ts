import { Command } from '@nestjs/cqrs';
import type { CommandEnvelope, Executed } from '../../event-store/command-execution.js';
import type { Caller } from '../../kernel/caller.js';
import type { InteractionId } from '../../kernel/ids.js';
import type { Rejection } from '../../kernel/rejection.js';
import type { Result } from '../../kernel/result.js';
import type { InteractionCommand } from '../domain/commands.js';
import type { Interaction } from '../domain/interaction.js';

/**
 * Any command on an interaction, on a caller's behalf or, without a caller, by a process of the
 * service. Answers with the interaction as of the command's last event; refuses with the codes of
 * the decider and of `CommandExecution`, and with `attestation-unavailable`.
 */
export class PerformInteractionCommand extends Command<Result<Executed<Interaction>, Rejection>> {
  constructor(
    readonly interactionId: InteractionId,
    readonly command: InteractionCommand,
    readonly caller: Caller | undefined,
    readonly envelope: CommandEnvelope,
  ) {
    super();
  }
}
