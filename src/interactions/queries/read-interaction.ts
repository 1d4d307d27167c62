import { Query } from '@nestjs/cqrs';
import type { Agent } from '../../agents/domain/agent.js';
import type { Position } from '../../event-store/port.js';
import type { Caller } from '../../kernel/caller.js';
import type { AgentId, InteractionId } from '../../kernel/ids.js';
import type { Rejection } from '../../kernel/rejection.js';
import type { Result } from '../../kernel/result.js';
import type { Timestamp } from '../../kernel/timestamp.js';
import type { Interaction } from '../domain/interaction.js';

/**
 * Which state is asked for. At a time: fold(recordedAt ≤ time), then expiry at that time. At a
 * position: what the log held up to there, and nothing computed.
 */
export type AsOf =
  | { readonly kind: 'now' }
  | { readonly kind: 'time'; readonly time: Timestamp }
  | { readonly kind: 'position'; readonly position: Position };

export interface InteractionReading {
  /** An expiry that is due is in the log by now, or computed while the log takes nothing. */
  readonly interaction: Interaction;
  /** The parties as they are now. */
  readonly parties: ReadonlyMap<AgentId, Agent>;
}

/**
 * One interaction, for showing to the caller. Refuses with `interaction-not-found` (also for one
 * that the caller may not read, or that did not exist yet), `request-invalid` (a time to come) and
 * `position-invalid` (another log's).
 */
export class ReadInteraction extends Query<Result<InteractionReading, Rejection>> {
  constructor(
    readonly interactionId: InteractionId,
    readonly caller: Caller,
    readonly asOf: AsOf,
  ) {
    super();
  }
}
