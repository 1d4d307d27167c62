import type { Grant } from '../../invocations/domain/authorization.js';
import type { Uuid } from '../../kernel/ids.js';
import type { JsonObject } from '../../kernel/json.js';
import type { RoutingRecord } from '../routing/decision.js';
import type { A2aRefusal } from '../wire/refusal.js';
import type { Message, Part } from '../wire/types.js';
import type { CapabilityImplementation } from '../handlers/capability-call.js';

/** What is done about a message. */
export type TurnPlan = AskBack | PlannedCall;

/** Nobody knows what it is for: its sender is asked. */
export interface AskBack {
  readonly kind: 'ask';
  readonly question: readonly Part[];
  readonly routing: RoutingRecord;
}

/** A call that may be made. Nothing of it is recorded yet. */
export interface PlannedCall {
  readonly kind: 'call';
  /** By what right; its capability as it stood at the head of its stream. */
  readonly grant: Grant;
  /** What the grant was read from: stream name to revision. */
  readonly basedOn: Readonly<Record<string, number>>;
  readonly implementation: CapabilityImplementation;
  /** Its name: of the manifest, or of before where a task goes on with it. */
  readonly handler: string;
  readonly routing: RoutingRecord;
  readonly outputModes: readonly string[];
  /** What the implementation gets: after questions, with what was said before. */
  readonly message: Message;
  /**
   * b64u(SHA-256(JCS(…))) of the arguments where the implementation {@link takesArguments}, otherwise
   * of the message: as it was sent, or with what was said before as the implementation gets it.
   */
  readonly argumentsDigest: string;
  /** It gets arguments and gives one result, which go on record by their digests. */
  readonly takesArguments: boolean;
  /** Null: it was found by routing what this is for. */
  readonly direct: DirectTurn | null;
}

/** A call that its message named: a direct invoke. */
export interface PlannedDirectCall extends PlannedCall {
  readonly direct: DirectTurn;
}

/** What is different about the turn of a direct invoke. */
export interface DirectTurn {
  /** b64u(SHA-256(JCS(arguments))). */
  readonly argumentsDigest: string;
  /** Id of the invocation by its idempotency key; null without one: it follows from the message's. */
  readonly byKey: Uuid | null;
  /**
   * Why it cannot run as it is, or not here; said only of a call that was not made before. Null when it
   * can.
   */
  readonly refusedLast: A2aRefusal | null;
  /** Metadata of the status with which the turn ends when its implementation does not end it. */
  failure(why: TurnFailure): JsonObject;
  /**
   * A refusal of the house in the words of the extension: `capability-busy`, `rate-limited`,
   * `message-id-reused`, `message-id-spent`, `idempotency-key-reused`, `idempotency-key-spent`, and of
   * webhooks.
   */
  refusal(inner: A2aRefusal): A2aRefusal;
}

/** Why a turn came to an end that its implementation did not give it. */
export type TurnFailure =
  /** The call could not be recorded, so nothing was run. */
  | 'not-recorded'
  /** It was made before, by a task that is no longer kept. */
  | 'made-before'
  /** What it rested on had ended before the call was on record: nothing was run. */
  | 'voided'
  | 'approval-denied'
  | 'approval-expired'
  /** The approval does not fit any more: other terms are in force, or none that allow the call. */
  | 'approval-void'
  | 'timed-out'
  /** The node stops. */
  | 'interrupted'
  /** The implementation threw, or broke its rules. */
  | 'handler-failed';
