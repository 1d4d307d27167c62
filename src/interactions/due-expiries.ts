import { Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { CommandEnvelope } from '../event-store/command-execution.js';
import { EventStoreUnavailable } from '../event-store/port.js';
import { hashJson } from '../kernel/digest.js';
import { deriveUuid, type InteractionId } from '../kernel/ids.js';
import type { Timestamp } from '../kernel/timestamp.js';
import { PerformInteractionCommand } from './commands/perform-interaction-command.js';
import { isExpiryDue } from './domain/expiry.js';
import type { Interaction } from './domain/interaction.js';
import { interactionStream } from './domain/stream.js';
import { InteractionExecution } from './interaction-execution.js';

/**
 * Records an expiry that is due before anybody is told of it. An act that was judged a moment before
 * `expiresAt` may be appended a moment after it: once the expiry is in the log, such an act loses its race
 * and is judged again, and until then nothing was said that it could take back.
 *
 * The expiry process does the same for every interaction, told of or not. Whoever comes first records it:
 * it is one event, whoever asks how often.
 */
@Injectable()
export class DueExpiries {
  readonly #underWay = new Map<InteractionId, Promise<void>>();

  constructor(
    private readonly commands: CommandBus,
    private readonly execution: InteractionExecution,
  ) {}

  /**
   * The interaction as it is to be shown at a moment, from its head in the log. Where its expiry is due,
   * the log holds its end by now: the expiry, or an act that was faster. Only when the log takes nothing,
   * which is no reason to answer nobody, the expiry is still to be computed.
   */
  async settled(head: Interaction, moment: Timestamp): Promise<Interaction> {
    if (!isExpiryDue(head, moment)) return head;
    const { interactionId } = head;
    await this.record(interactionId);
    const { state } = await this.execution.repository.load(interactionStream(interactionId));
    return state ?? head;
  }

  /** Comes back once nothing can precede the expiry any more, or when the log takes nothing. */
  async record(interactionId: InteractionId): Promise<void> {
    let underWay = this.#underWay.get(interactionId);
    if (underWay === undefined) {
      underWay = this.#record(interactionId).finally(() => this.#underWay.delete(interactionId));
      this.#underWay.set(interactionId, underWay);
    }
    await underWay;
  }

  async #record(interactionId: InteractionId): Promise<void> {
    const envelope = envelopeOf(interactionId);
    try {
      await this.commands.execute(
        new PerformInteractionCommand(interactionId, { kind: 'expire' }, undefined, envelope),
      );
    } catch (error) {
      if (!(error instanceof EventStoreUnavailable)) throw error;
    }
  }
}

/** The same every time: two nodes, or two readers, record one event. */
function envelopeOf(interactionId: InteractionId): CommandEnvelope {
  const content = ['expire', interactionId];
  const commandId = deriveUuid(['due-expiry', ...content]);
  return {
    commandId,
    requestDigest: hashJson(content),
    actor: { principal: 'process:expiry', agent: null, tenant: null },
    correlationId: commandId,
    causationId: null,
    traceparent: null,
  };
}
