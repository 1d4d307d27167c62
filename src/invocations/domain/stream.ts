import type { Uuid } from '../../kernel/ids.js';

/** Prefix of the streams of all invocations. */
export const INVOCATION_STREAM_PREFIX = 'invocation-';

/** The stream that holds one call's events. */
export function invocationStream(invocationId: Uuid): string {
  return `${INVOCATION_STREAM_PREFIX}${invocationId}`;
}
