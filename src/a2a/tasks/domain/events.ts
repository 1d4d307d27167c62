import type { DomainEvent } from '../../../kernel/event.js';
import type { AgentId, Uuid } from '../../../kernel/ids.js';
import type { JsonObject } from '../../../kernel/json.js';
import type { RoutingRecord } from '../../routing/decision.js';
import type { Artifact, Message, TaskState } from '../../wire/types.js';
import type { TaskBinding, TaskHold, TaskOwner, UntoldOutcome } from './task.js';
import type { PushConfig } from './push-config.js';

/** A first message has come; always the first event of a task. */
export type TaskSubmitted = DomainEvent<
  'task-submitted',
  {
    readonly taskId: Uuid;
    readonly contextId: string;
    readonly agentId: AgentId;
    readonly owner: TaskOwner;
    readonly message: Message;
    /** Of the message as sent: b64u(SHA-256(JCS(message))). */
    readonly digest: string;
  },
  null
>;

/** It was decided what the newest message is for. Nobody but operators sees it. */
export type TaskRouted = DomainEvent<
  'task-routed',
  {
    readonly binding: TaskBinding | null;
    readonly routing: RoutingRecord;
    /** Milliseconds since the epoch. */
    readonly deadline: number | null;
  },
  null
>;

/** A further turn begins with a message of the caller: the task is submitted again. */
export type TaskMessageAdded = DomainEvent<
  'task-message-added',
  { readonly message: Message; readonly digest: string },
  null
>;

export type TaskStatusChanged = DomainEvent<
  'task-status-changed',
  {
    readonly state: TaskState;
    /** Of the agent, about this status. */
    readonly message: Message | null;
    /** Becomes part of the task's metadata. */
    readonly metadata: JsonObject | null;
    /** The task waits for an approval of a call; absent: it does not. */
    readonly hold?: TaskHold;
    /** How the call ended; absent: as the state tells. Nobody but operators sees it. */
    readonly outcome?: UntoldOutcome;
  },
  null
>;

export type TaskArtifactUpdated = DomainEvent<
  'task-artifact-updated',
  {
    readonly artifact: Artifact;
    /** True: its parts come after those of the artifact of the same id. */
    readonly append: boolean;
    readonly lastChunk: boolean;
  },
  null
>;

/**
 * Somebody was shown the task by a node that does not run its turn, which is silent so far: it ends in
 * no message any more. Nobody but nodes sees it.
 */
export type TaskShown = DomainEvent<'task-shown', { readonly isShown: true }, null>;

/** The turn ended in a message instead of a task. */
export type TaskAnswered = DomainEvent<'task-answered', { readonly message: Message }, null>;

/** A webhook was set, or set anew under its id. */
export type TaskPushConfigSet = DomainEvent<
  'task-push-config-set',
  { readonly config: PushConfig },
  null
>;

export type TaskPushConfigDeleted = DomainEvent<
  'task-push-config-deleted',
  { readonly configId: string },
  null
>;

/**
 * What stands in `task-<uuid>`. Bodies stand in `data`, unsealed: this log is outside of the audited
 * one, and its streams are deleted physically.
 */
export type StoredTaskEvent =
  | TaskSubmitted
  | TaskRouted
  | TaskMessageAdded
  | TaskStatusChanged
  | TaskArtifactUpdated
  | TaskShown
  | TaskAnswered
  | TaskPushConfigSet
  | TaskPushConfigDeleted;
