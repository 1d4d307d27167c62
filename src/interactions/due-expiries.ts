import { Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { CommandEnvelope } from '../event-store/command-execution.js';
import { EventStoreUnavailable } from '../event-store/port.js';
import { hashJson } from '../kernel/digest.js';
import { deriveUuid, type InteractionId } from '../kernel/ids.js';
import { PerformInteractionCommand } from './commands/perform-interaction-command.js';

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

  constructor(private readonly commands: CommandBus) {}

  /**
   * Comes back once the log holds the end of the interaction, be it the expiry or an act that was faster;
   * or when the log takes nothing now, which is no reason to answer nobody.
   */
  async record(interactionId: InteractionId): Promise<void> {
    let underWay = this.#underWay.get(interactionId);
    if (underWay === undefined) {
      underWay = this.#record(interactionId).finally(() => this.#underWay.delete(interactionId));
      this.#underWay.set(interactionId, underWay);
    }
    return underWay;
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
