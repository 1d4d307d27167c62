import { Query } from '@nestjs/cqrs';
import type { Position } from '../../event-store/port.js';
import type { Caller } from '../../kernel/caller.js';
import type { Recorded } from '../../kernel/event.js';
import type { InteractionId } from '../../kernel/ids.js';
import type { Rejection } from '../../kernel/rejection.js';
import type { Result } from '../../kernel/result.js';
import type { InteractionEvent } from '../domain/events.js';

/** One event as recorded, brought up to today's version of its type. */
export interface HistoryEntry {
  readonly id: string;
  readonly position: Position;
  readonly event: Recorded<InteractionEvent>;
}

/**
 * The events of one interaction from a stream revision (inclusive) on, at most so many. Refuses with
 * `interaction-not-found`, also when the caller may not read it.
 */
export class InteractionHistory extends Query<Result<readonly HistoryEntry[], Rejection>> {
  constructor(
    readonly interactionId: InteractionId,
    readonly caller: Caller,
    readonly from: number,
    readonly limit: number,
  ) {
    super();
  }
}
