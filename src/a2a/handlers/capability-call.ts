import type { Manifest } from '../../capabilities/domain/manifest.js';
import type { Caller } from '../../kernel/caller.js';
import type { Uuid } from '../../kernel/ids.js';
import type { JsonObject } from '../../kernel/json.js';
import type { GoverningTerms, GrantRule } from '../../invocations/domain/authorization.js';
import type { RoutingRecord } from '../routing/decision.js';
import type { Artifact, Message, Part, Task } from '../wire/types.js';

/**
 * The grant under which a capability runs, as it is on record: found true at the heads of its streams,
 * and admitted before it runs.
 */
export interface AdmittedGrant {
  readonly invocationId: Uuid;
  /** The manifest as it was admitted. */
  readonly manifest: Manifest;
  /** Which rule granted the call. */
  readonly rule: GrantRule;
  /** The contract under which it runs, null when it needs none. */
  readonly terms: GoverningTerms | null;
  readonly routing: RoutingRecord;
  /** Output modes of the capability that the client accepts; never empty. */
  readonly outputModes: readonly string[];
  /** When the signal aborts and the task fails: milliseconds since the epoch. */
  readonly deadline: number;
}

/**
 * One call of a capability. Message, task and caller are copies that a handler may change; the grant is
 * frozen.
 */
export interface CapabilityCall {
  /**
   * What was said. If its sender was asked first which capability is meant, the parts of everything
   * that was said about that, oldest first.
   */
  readonly message: Message;
  /** The task as it stands, its history included. */
  readonly task: Task;
  /** Who asked, for every tool call further down; null without a token. */
  readonly caller: Caller | null;
  readonly grant: AdmittedGrant;
  /** Aborted when the task is canceled, the deadline passes or the node stops. */
  readonly signal: AbortSignal;
  /**
   * A token that tells whoever is called next who asks, and for what: with those of the caller's scopes
   * that the capability requires, valid for 60 seconds and for `audience` alone. Made only when it is
   * asked for.
   * @param audience the token's `aud`: what the service that it is sent to calls itself
   * @throws when this node holds no platform key of the purpose `backend-token`, and once the call has
   * ended or its signal has aborted
   */
  readonly token: (audience: string) => Promise<string>;
}

/**
 * What a handler says while it works: JSON, of which a copy is made when it is said. The last of them
 * decides where the task stands.
 */
export type HandlerEvent =
  | { readonly kind: 'working'; readonly parts?: readonly Part[] }
  | {
      readonly kind: 'artifact';
      /** Ids are the handler's own; one that comes again replaces, or with `append` grows, the artifact. */
      readonly artifact: Artifact;
      readonly append?: boolean;
      readonly lastChunk?: boolean;
    }
  | {
      /** Ends the turn. `completed` is implied when a handler returns without one. */
      readonly kind: 'completed' | 'rejected' | 'input-required' | 'auth-required';
      readonly parts?: readonly Part[];
      readonly metadata?: JsonObject;
    }
  | {
      readonly kind: 'failed';
      readonly parts?: readonly Part[];
      readonly metadata?: JsonObject;
      /**
       * Nobody knows whether what was asked for was done, as when an answer never came: the record
       * of calls says `outcome-unknown`, where it would say `failed`.
       */
      readonly isUnknown?: boolean;
    }
  /**
   * Answers with a message and no task; only as the first and only event. If the task had to be shown
   * before, these are its last words.
   */
  | { readonly kind: 'message'; readonly parts: readonly Part[] };

/** An implementation of capabilities, in this process. */
export interface CapabilityImplementation {
  handle(call: CapabilityCall): AsyncIterable<HandlerEvent>;
}
