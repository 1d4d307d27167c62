import { Inject, Injectable } from '@nestjs/common';
import { CLOCK, RANDOM_BYTES } from '../config/tokens.js';
import { CommandExecution, type RandomBytes } from '../event-store/command-execution.js';
import type { KeyStore } from '../event-store/key-store.js';
import type { EventStore } from '../event-store/port.js';
import { EVENT_STORE, KEY_STORE } from '../event-store/tokens.js';
import type { Clock } from '../kernel/timestamp.js';
import type { InteractionCommand } from './domain/commands.js';
import type { InteractionContext } from './domain/context.js';
import { interactionDecider } from './domain/decider.js';
import type { InteractionEvent } from './domain/events.js';
import { withoutTexts } from './domain/evolve.js';
import { headOf, headText } from './domain/head.js';
import type { Interaction } from './domain/interaction.js';
import { isErased, isTerminal } from './domain/revisions.js';
import { INTERACTION_EVENT_TYPES } from './event-types.js';

/** The way of interaction commands to the log, with the cache of folds that all reads share. */
@Injectable()
export class InteractionExecution extends CommandExecution<
  Interaction | undefined,
  InteractionCommand,
  InteractionEvent,
  InteractionContext
> {
  constructor(
    @Inject(EVENT_STORE) store: EventStore,
    @Inject(KEY_STORE) keys: KeyStore,
    @Inject(CLOCK) clock: Clock,
    @Inject(RANDOM_BYTES) random: RandomBytes,
  ) {
    super(store, keys, interactionDecider, INTERACTION_EVENT_TYPES, clock, random, {
      mayLackKey: (interaction) =>
        interaction !== undefined && isTerminal(interaction.status) && !isErased(interaction),
      // A backup may have brought back its key.
      seenFrom: (head, earlier) =>
        earlier !== undefined && head !== undefined && head.erasure !== null
          ? withoutTexts(earlier)
          : earlier,
      headOf: (interaction) => (interaction === undefined ? null : headText(headOf(interaction))),
    });
  }
}
