import type { TaskPushNotificationConfig } from '../../wire/types.js';

/** A webhook of a task as it is stored; its task is the stream's. */
export interface PushConfig {
  readonly id: string;
  readonly url: string;
  /** Sent back to the client in a header of its own. */
  readonly token?: string;
  readonly authentication?: { readonly scheme: string; readonly credentials?: string };
}

/** Webhooks of one task. */
export const MAX_PUSH_CONFIGS = 16;

/** As it is stored: only what is known, nothing of the request besides. */
export function toPushConfig(config: TaskPushNotificationConfig, newId: () => string): PushConfig {
  const { id, url, token, authentication } = config;
  return {
    id: id ?? newId(),
    url,
    ...(token === undefined ? {} : { token }),
    ...(authentication === undefined
      ? {}
      : {
          authentication: {
            scheme: authentication.scheme,
            ...(authentication.credentials === undefined
              ? {}
              : { credentials: authentication.credentials }),
          },
        }),
  };
}

/** As its owner sees it. */
export function shownPushConfig(taskId: string, config: PushConfig): TaskPushNotificationConfig {
  return { ...config, taskId };
}
