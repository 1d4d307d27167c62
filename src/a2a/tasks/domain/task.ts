import type { InvocationOutcome } from '../../../invocations/domain/outcome.js';
import type { AgentId, SkillId, Uuid } from '../../../kernel/ids.js';
import type { JsonObject } from '../../../kernel/json.js';
import type { RoutingRecord } from '../../routing/decision.js';
import type {
  Artifact,
  Message,
  Part,
  Task,
  TaskPushNotificationConfig,
  TaskState,
} from '../../wire/types.js';

/**
 * Whose a task is. `agent` is the agent that the token was bound to. An anonymous caller is told
 * apart by nothing, so that `anonymous` tasks are only for who knows their id (`secret`), unless the
 * deployment lets all of them share one owner (`shared`, for conformance tests).
 */
export type TaskOwner =
  | {
      readonly kind: 'principal';
      readonly tenant: string;
      readonly principal: string;
      readonly agent: AgentId | null;
    }
  | { readonly kind: 'anonymous'; readonly sharing: 'secret' | 'shared' };

/** What a task is bound to; null while the caller is asked what is meant. */
export interface TaskBinding {
  readonly skillId: SkillId;
  readonly handler: string;
  readonly invocationId: Uuid;
  /**
   * Of a direct invoke, and of a message that brought a backend its arguments:
   * b64u(SHA-256(JCS(arguments))). A direct invoke of the same key must have the same.
   */
  readonly argumentsDigest?: string;
}

/** A call of a task that waits, or waited, for an approval by a human. */
export interface TaskHold {
  readonly invocationId: Uuid;
  /** It is given up then: milliseconds since the epoch. */
  readonly expiresAt: number;
  /** Output modes of the capability that the client accepts. */
  readonly outputModes: readonly string[];
}

/** A task with what is known about it besides what its owner sees. */
export interface StoredTask {
  readonly task: Task;
  readonly agentId: AgentId;
  readonly owner: TaskOwner;
  readonly binding: TaskBinding | null;
  /** Of the last turn. */
  readonly routing: RoutingRecord | null;
  /** When the turn under way counts as lost: milliseconds since the epoch; null between turns. */
  readonly deadline: number | null;
  /** Of the turn under way, or held; null: it needs no approval. */
  readonly hold: TaskHold | null;
  /** The answer of a turn that ended in a message instead of a task; such a task is nobody's to see. */
  readonly answer: Message | null;
  /** Somebody was shown it before its handler spoke, by a node that does not run its turn. */
  readonly isShown: boolean;
  /** Digest of every message received, by its id. */
  readonly messages: ReadonlyMap<string, string>;
  /** Revision of the stream's last event: the id of the last stream event. */
  readonly revision: number;
}

/** Outcomes that are no state of a task: it says that it failed. */
export type UntoldOutcome = Extract<InvocationOutcome, 'outcome-unknown' | 'interrupted'>;

/** What a turn adds to a task; all of a batch or nothing. */
export type TaskChange =
  | {
      readonly kind: 'routed';
      readonly binding: TaskBinding | null;
      readonly routing: RoutingRecord;
      readonly deadline: number | null;
    }
  | {
      readonly kind: 'status';
      readonly state: TaskState;
      /** Becomes a message of the agent in status and history. */
      readonly parts?: readonly Part[];
      readonly metadata?: JsonObject;
      /** The task waits for an approval of this call, not for its caller. */
      readonly hold?: TaskHold;
      /** How the call ended, where the state does not tell. */
      readonly outcome?: UntoldOutcome;
    }
  | {
      readonly kind: 'artifact';
      readonly artifact: Artifact;
      readonly append?: boolean;
      readonly lastChunk?: boolean;
    }
  /** Ends the turn with a message instead of a task, if nobody was shown the task. */
  | {
      readonly kind: 'answer';
      readonly parts: readonly Part[];
      /** What ends it otherwise; by default it has completed with these parts. */
      readonly ifShown?: Extract<TaskChange, { readonly kind: 'status' }>;
    };

export interface NewTask {
  readonly agentId: AgentId;
  readonly owner: TaskOwner;
  readonly message: Message;
  /** Of the message as sent: b64u(SHA-256(JCS(message))). */
  readonly digest: string;
  readonly changes: readonly TaskChange[];
  readonly pushConfig?: TaskPushNotificationConfig;
}

/** Why a change was not made. */
export type TaskChangeRefused =
  | { readonly kind: 'terminal'; readonly task: StoredTask }
  /** Another message or another turn came first. */
  | { readonly kind: 'moved-on'; readonly task: StoredTask }
  /** It holds as many messages of its caller, or as much in all, as one task may. */
  | { readonly kind: 'full'; readonly task: StoredTask }
  /** The webhook that comes with a further turn is one too many. */
  | { readonly kind: 'too-many-push-configs'; readonly task: StoredTask };
