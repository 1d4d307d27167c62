import { Inject } from '@nestjs/common';
import { QueryBus, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { decodeEvent, keyOf } from '../../event-store/codec.js';
import type { KeyStore } from '../../event-store/key-store.js';
import type { EventStore } from '../../event-store/port.js';
import { EVENT_STORE, KEY_STORE } from '../../event-store/tokens.js';
import { ERASED } from '../../kernel/event.js';
import type { Rejection } from '../../kernel/rejection.js';
import { ok, type Result } from '../../kernel/result.js';
import type { InteractionEvent } from '../domain/events.js';
import { interactionStream } from '../domain/stream.js';
import { INTERACTION_EVENT_TYPES } from '../event-types.js';
import { InteractionHistory, type HistoryEntry } from './interaction-history.js';
import { ReadInteraction } from './read-interaction.js';

@QueryHandler(InteractionHistory)
export class InteractionHistoryHandler implements IQueryHandler<InteractionHistory> {
  constructor(
    private readonly queries: QueryBus,
    @Inject(EVENT_STORE) private readonly store: EventStore,
    @Inject(KEY_STORE) private readonly keys: KeyStore,
  ) {}

  async execute({
    interactionId,
    caller,
    from,
    limit,
  }: InteractionHistory): Promise<Result<readonly HistoryEntry[], Rejection>> {
    const reading = await this.queries.execute(
      new ReadInteraction(interactionId, caller, { kind: 'now' }),
    );
    if (!reading.ok) return reading;
    const stream = interactionStream(interactionId);
    const envelopes = await this.store.readStream(stream, from, limit);
    // Recorded as erased, they stay so, even if a backup has brought back their key.
    const isErased = reading.value.interaction.erasure !== null;
    const key = isErased ? ERASED : await keyOf(stream, envelopes, this.keys);
    const entries = envelopes.map((envelope): HistoryEntry => {
      const event = decodeEvent<InteractionEvent>(envelope, INTERACTION_EVENT_TYPES, key);
      return { id: envelope.id, position: envelope.position, event };
    });
    return ok(entries);
  }
}
