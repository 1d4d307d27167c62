import { Query } from '@nestjs/cqrs';
import type { Position } from '../../event-store/port.js';
import type { Caller } from '../../kernel/caller.js';
import type { InteractionStatus } from '../../kernel/federated-interaction.js';
import type { AgentId, InteractionId } from '../../kernel/ids.js';
import type { Rejection } from '../../kernel/rejection.js';
import type { Result } from '../../kernel/result.js';
import type { Timestamp } from '../../kernel/timestamp.js';

/** All that are given must hold, of the interaction as it stands now. */
export interface InteractionFilter {
  readonly status: InteractionStatus | undefined;
  readonly party: AgentId | undefined;
  /** Exact; of the terms that the document shows. */
  readonly taskCategory: string | undefined;
  /** Whose move it is: see `interactionStatus`. */
  readonly waitingOn: AgentId | undefined;
  /** Pending or active, and over before this moment. */
  readonly expiringBefore: Timestamp | undefined;
  /** Changed at this moment or later. */
  readonly updatedSince: Timestamp | undefined;
}

/** One interaction as the list shows it. */
export interface ListedInteraction {
  readonly interactionId: InteractionId;
  readonly status: InteractionStatus;
  readonly initiatorAgentId: AgentId;
  readonly responderAgentId: AgentId;
  readonly parties: readonly AgentId[];
  /** Null once the texts are erased; of the terms that the document shows, like the two below. */
  readonly taskCategory: string | null;
  readonly deadline: Timestamp | null;
  readonly contractRevision: number;
  readonly waitingOn: readonly AgentId[];
  readonly createdAt: Timestamp;
  readonly updatedAt: Timestamp;
  readonly expiresAt: Timestamp;
  /** False when a later event could not be applied to the list: the entry is old. */
  readonly reliable: boolean;
}

export interface InteractionPage {
  readonly items: readonly ListedInteraction[];
  /** Where the next page begins, undefined on the last one. A page may be short and not the last. */
  readonly next: Position | undefined;
}

/**
 * Interactions that the caller may read, the newest proposal first. Refuses with `projection-behind`
 * when the list does not reach `seen` in time.
 */
export class ListInteractions extends Query<Result<InteractionPage, Rejection>> {
  constructor(
    readonly caller: Caller,
    readonly filter: InteractionFilter,
    /** `next` of the page before. */
    readonly after: Position | undefined,
    readonly limit: number,
    readonly seen: Position,
  ) {
    super();
  }
}
