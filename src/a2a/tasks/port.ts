import type { AgentId, SkillId, Uuid } from '../../kernel/ids.js';
import type { JsonObject } from '../../kernel/json.js';
import type { Result } from '../../kernel/result.js';
import type { RoutingRecord } from '../routing/decision.js';
import type { A2aRefusal } from '../wire/refusal.js';
import type {
  Artifact,
  ListTasksRequest,
  ListTasksResponse,
  Message,
  Part,
  StreamResponse,
  Task,
  TaskPushNotificationConfig,
  TaskState,
} from '../wire/types.js';

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
  /** The answer of a turn that ended in a message instead of a task; such a task is nobody's to see. */
  readonly answer: Message | null;
  /** Digest of every message received, by its id. */
  readonly messages: ReadonlyMap<string, string>;
  /** Revision of the stream's last event: the id of the last stream event. */
  readonly revision: number;
}

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
    }
  | {
      readonly kind: 'artifact';
      readonly artifact: Artifact;
      readonly append?: boolean;
      readonly lastChunk?: boolean;
    }
  /** Ends the turn with a message instead of a task. */
  | { readonly kind: 'answer'; readonly parts: readonly Part[] };

export interface NewTask {
  readonly agentId: AgentId;
  readonly owner: TaskOwner;
  readonly message: Message;
  /** Of the message as sent: b64u(SHA-256(JCS(message))). */
  readonly digest: string;
  readonly changes: readonly TaskChange[];
  readonly pushConfig?: TaskPushNotificationConfig;
}

/** Why a change was not made: the task is past it. */
export type TaskChangeRefused =
  | { readonly kind: 'terminal'; readonly task: StoredTask }
  /** Another message or another turn came first. */
  | { readonly kind: 'moved-on'; readonly task: StoredTask };

/** How long a task is watched: to the end of its turn, or to its own, over all turns. */
export type WatchedSpan = 'turn' | 'task';

/** One event of a task, with the id by which a cut stream is resumed. */
export interface TaskEvent {
  /** `Last-Event-ID`: the revision of the task's stream, in decimal. */
  readonly id: string;
  readonly response: StreamResponse;
}

/**
 * Durable tasks: each is a stream `task-<uuid>` in the task store, outside the audited log. Every
 * method that takes an owner answers `TaskNotFound` for a foreign task exactly as for an unknown one.
 */
export interface Tasks {
  /** Id of the task that a message of this owner starts; random for an anonymous one. */
  idFor(owner: TaskOwner, agentId: AgentId, messageId: string): Uuid;

  /**
   * Submits a task with its first changes, in one append that is also the lock on the message id.
   * `known`: the message was here before; the task as it stands, to be compared by digest.
   */
  submit(
    id: Uuid,
    task: NewTask,
  ): Promise<{ readonly known: boolean; readonly stored: StoredTask }>;

  /** The task at its head, whoever owns it: for internal use after {@link find}, and by the recovery. */
  load(id: Uuid): Promise<StoredTask | undefined>;

  /** The owner's task of this agent. */
  find(owner: TaskOwner, agentId: AgentId, id: string): Promise<Result<StoredTask, A2aRefusal>>;

  /** Adds the message of a further turn, at exactly `revision`. */
  continue(
    id: Uuid,
    revision: number,
    turn: {
      readonly message: Message;
      readonly digest: string;
      readonly changes: readonly TaskChange[];
    },
  ): Promise<Result<StoredTask, TaskChangeRefused>>;

  /**
   * Adds what a handler says. `invocationId` must still be the task's: a canceled, lost or newer
   * turn refuses it. Retried by itself against harmless writers (push configurations).
   */
  record(
    id: Uuid,
    invocationId: Uuid,
    changes: readonly TaskChange[],
  ): Promise<Result<StoredTask, TaskChangeRefused>>;

  /** Idempotent on a canceled task; `TaskNotCancelable` on other terminal ones. */
  cancel(owner: TaskOwner, agentId: AgentId, id: string): Promise<Result<StoredTask, A2aRefusal>>;

  list(
    owner: TaskOwner,
    agentId: AgentId,
    request: ListTasksRequest,
  ): Promise<Result<ListTasksResponse, A2aRefusal>>;

  /**
   * The events of a task after a revision, then live ones, whichever process makes them, each once;
   * ends with the turn (the default: a terminal or interrupted state) or with the task, or when
   * `signal` aborts. With `after` undefined it begins with the task as it stands.
   */
  watch(
    id: Uuid,
    after: number | undefined,
    signal: AbortSignal,
    until?: WatchedSpan,
  ): AsyncIterable<TaskEvent>;
}

/** Webhooks of tasks. Targets are checked when set and again at each delivery. */
export interface PushConfigs {
  set(
    owner: TaskOwner,
    agentId: AgentId,
    taskId: string,
    config: TaskPushNotificationConfig,
  ): Promise<Result<TaskPushNotificationConfig, A2aRefusal>>;
  get(
    owner: TaskOwner,
    agentId: AgentId,
    taskId: string,
    configId: string,
  ): Promise<Result<TaskPushNotificationConfig, A2aRefusal>>;
  list(
    owner: TaskOwner,
    agentId: AgentId,
    taskId: string,
    page: { readonly pageSize?: number; readonly pageToken?: string },
  ): Promise<
    Result<
      { readonly configs: readonly TaskPushNotificationConfig[]; readonly nextPageToken: string },
      A2aRefusal
    >
  >;
  /** Idempotent. */
  delete(
    owner: TaskOwner,
    agentId: AgentId,
    taskId: string,
    configId: string,
  ): Promise<Result<undefined, A2aRefusal>>;
  /** Why a webhook address cannot be used, before a task is submitted with it. */
  check(config: TaskPushNotificationConfig): Promise<A2aRefusal | undefined>;
}
