import type { Fault } from '../../../kernel/rejection.js';
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

const ID = /^[A-Za-z0-9][A-Za-z0-9._:~-]{0,127}$/;
const MAX_URL = 2048;
/** What may stand in a header as it is (RFC 9110 section 5.5), so that no line can be smuggled in. */
const HEADER_TEXT = /^[\x21-\x7e](?:[\x20-\x7e]{0,4094}[\x21-\x7e])?$/;
const SCHEME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,64}$/;

/** What is wrong with a configuration's form; pointers are relative to it. */
export function pushConfigFaults(config: TaskPushNotificationConfig): Fault[] {
  const { id, url, token, authentication } = config;
  const faults: Fault[] = [];
  if (id !== undefined && !ID.test(id)) {
    faults.push({ pointer: '/id', detail: 'must be 1 to 128 letters, digits or ._:~-' });
  }
  if (url.length > MAX_URL) {
    faults.push({ pointer: '/url', detail: `must have at most ${MAX_URL} characters` });
  }
  if (token !== undefined && !HEADER_TEXT.test(token)) {
    faults.push({ pointer: '/token', detail: 'must be 1 to 4096 printable ASCII characters' });
  }
  if (authentication === undefined) return faults;
  const { scheme, credentials } = authentication;
  if (!SCHEME.test(scheme)) {
    faults.push({ pointer: '/authentication/scheme', detail: 'must be an HTTP scheme' });
  }
  if (credentials !== undefined && !HEADER_TEXT.test(credentials)) {
    faults.push({
      pointer: '/authentication/credentials',
      detail: 'must be 1 to 4096 printable ASCII characters',
    });
  }
  return faults;
}

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
