import type { AgentId, Uuid } from '../../kernel/ids.js';
import type { Result } from '../../kernel/result.js';
import type { A2aRefusal } from '../wire/refusal.js';
import type {
  ListTasksRequest,
  ListTasksResponse,
  Message,
  StreamResponse,
  TaskPushNotificationConfig,
} from '../wire/types.js';
import type {
  NewTask,
  StoredTask,
  TaskChange,
  TaskChangeRefused,
  TaskOwner,
} from './domain/task.js';

/** How long a task is watched: to the end of its turn, or to its own, over all turns. */
export type WatchedSpan = 'turn' | 'task';

/** One event of a task, with the id by which a cut stream is resumed. */
export interface TaskEvent {
  /** `Last-Event-ID`: the revision of the task's stream, in decimal. */
  readonly id: string;
  readonly response: StreamResponse;
}

/** What knows the turns that are under way in this process. */
export interface TurnsHere {
  /**
   * Somebody is shown the task before the end of its turn. False when it is too late: there will be a
   * message instead. Undefined: no turn of it is under way here.
   */
  show(id: Uuid): boolean | undefined;
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

  /** The task at its head, whoever owns it: nobody is shown it before its owner was looked at. */
  load(id: Uuid): Promise<StoredTask | undefined>;

  /** Told by whoever runs turns here, before tasks are shown. */
  turnsAre(turns: TurnsHere): void;

  /**
   * Before somebody is shown a task: from then on it is one, and its turn ends in no message.
   * Undefined: it has ended in one, or will, and is nobody's to see.
   */
  show(stored: StoredTask): Promise<StoredTask | undefined>;

  /** The owner's task of this agent, which is thereby {@link show}n. */
  find(owner: TaskOwner, agentId: AgentId, id: string): Promise<Result<StoredTask, A2aRefusal>>;

  /** Adds the message of a further turn, at exactly `revision`, and its webhook with it. */
  continue(
    id: Uuid,
    revision: number,
    turn: {
      readonly message: Message;
      readonly digest: string;
      readonly changes: readonly TaskChange[];
      readonly pushConfig?: TaskPushNotificationConfig;
    },
  ): Promise<Result<StoredTask, TaskChangeRefused>>;

  /**
   * Adds what a handler says. `invocationId` must still be the task's: a canceled, lost or newer
   * turn refuses it; one that would make the task too large ends it as FAILED (`full`). Retried by itself against harmless writers (push configurations).
   */
  record(
    id: Uuid,
    invocationId: Uuid,
    changes: readonly TaskChange[],
  ): Promise<Result<StoredTask, TaskChangeRefused>>;

  /**
   * Ends the wait for an approval of this call, by which the task goes on or ends: by one node, once
   * (`moved-on` for every other).
   */
  release(
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
   * `signal` aborts or the node is closed. With `after` undefined it begins with the task as it stands.
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
