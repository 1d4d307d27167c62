import type { Json, JsonObject } from '../../kernel/json.js';

/**
 * The messages of A2A v1.0 in their JSON form (ProtoJSON of `lf.a2a.v1`): what clients send, what is
 * stored and what is served. Absent members are absent, never null or empty.
 */

export const TASK_STATES = [
  'TASK_STATE_SUBMITTED',
  'TASK_STATE_WORKING',
  'TASK_STATE_COMPLETED',
  'TASK_STATE_FAILED',
  'TASK_STATE_CANCELED',
  'TASK_STATE_INPUT_REQUIRED',
  'TASK_STATE_REJECTED',
  'TASK_STATE_AUTH_REQUIRED',
] as const;

export type TaskState = (typeof TASK_STATES)[number];

const TERMINAL: ReadonlySet<TaskState> = new Set<TaskState>([
  'TASK_STATE_COMPLETED',
  'TASK_STATE_FAILED',
  'TASK_STATE_CANCELED',
  'TASK_STATE_REJECTED',
]);

/** A task in such a state never changes again. */
export function isTerminal(state: TaskState): boolean {
  return TERMINAL.has(state);
}

/** The task waits for its caller. */
export function isInterrupted(state: TaskState): boolean {
  return state === 'TASK_STATE_INPUT_REQUIRED' || state === 'TASK_STATE_AUTH_REQUIRED';
}

/** Exactly one of text, raw, url and data; `data` may be null. */
export interface Part {
  readonly text?: string;
  /** Base64 (RFC 4648 section 4). */
  readonly raw?: string;
  readonly url?: string;
  readonly data?: Json;
  readonly metadata?: JsonObject;
  readonly filename?: string;
  readonly mediaType?: string;
}

export interface Message {
  readonly messageId: string;
  readonly contextId?: string;
  readonly taskId?: string;
  readonly role: 'ROLE_USER' | 'ROLE_AGENT';
  readonly parts: readonly Part[];
  readonly metadata?: JsonObject;
  readonly extensions?: readonly string[];
  readonly referenceTaskIds?: readonly string[];
}

export interface Artifact {
  readonly artifactId: string;
  readonly name?: string;
  readonly description?: string;
  readonly parts: readonly Part[];
  readonly metadata?: JsonObject;
  readonly extensions?: readonly string[];
}

export interface TaskStatus {
  readonly state: TaskState;
  readonly message?: Message;
  /** RFC 3339, UTC, milliseconds. */
  readonly timestamp: string;
}

export interface Task {
  readonly id: string;
  readonly contextId: string;
  readonly status: TaskStatus;
  readonly artifacts?: readonly Artifact[];
  readonly history?: readonly Message[];
  readonly metadata?: JsonObject;
}

export interface TaskStatusUpdate {
  readonly taskId: string;
  readonly contextId: string;
  readonly status: TaskStatus;
  readonly metadata?: JsonObject;
}

export interface TaskArtifactUpdate {
  readonly taskId: string;
  readonly contextId: string;
  readonly artifact: Artifact;
  readonly append?: boolean;
  readonly lastChunk?: boolean;
  readonly metadata?: JsonObject;
}

/** One event of a stream: exactly one member. */
export type StreamResponse =
  | { readonly task: Task }
  | { readonly message: Message }
  | { readonly statusUpdate: TaskStatusUpdate }
  | { readonly artifactUpdate: TaskArtifactUpdate };

/** What SendMessage answers: exactly one member. */
export type SendMessageResponse = { readonly task: Task } | { readonly message: Message };

export interface SendMessageConfiguration {
  readonly acceptedOutputModes?: readonly string[];
  readonly taskPushNotificationConfig?: TaskPushNotificationConfig;
  readonly historyLength?: number;
  readonly returnImmediately?: boolean;
}

export interface SendMessageRequest {
  readonly message: Message;
  readonly configuration?: SendMessageConfiguration;
  readonly metadata?: JsonObject;
}

export interface TaskPushNotificationConfig {
  readonly id?: string;
  readonly taskId?: string;
  readonly url: string;
  readonly token?: string;
  readonly authentication?: { readonly scheme: string; readonly credentials?: string };
}

export interface ListTasksRequest {
  readonly contextId?: string;
  readonly status?: TaskState;
  readonly pageSize?: number;
  readonly pageToken?: string;
  readonly historyLength?: number;
  /** As {@link TaskStatus.timestamp}. */
  readonly statusTimestampAfter?: string;
  readonly includeArtifacts?: boolean;
}

export interface ListTasksResponse {
  readonly tasks: readonly Task[];
  readonly nextPageToken: string;
  readonly pageSize: number;
  readonly totalSize: number;
}
