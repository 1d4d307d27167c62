import type { ServerResponse } from 'node:http';

/**
 * Resolves when the client has taken what was written, or the signal aborts. A client that takes
 * nothing for `stallMs` is cut off.
 */
export async function drained(
  response: ServerResponse,
  signal: AbortSignal,
  stallMs: number,
): Promise<void> {
  await new Promise<void>((resolve) => {
    const stalled = setTimeout(() => {
      response.destroy();
      finish();
    }, stallMs);
    const finish = (): void => {
      clearTimeout(stalled);
      response.off('drain', finish);
      signal.removeEventListener('abort', finish);
      resolve();
    };
    response.on('drain', finish);
    signal.addEventListener('abort', finish);
    if (signal.aborted) finish();
  });
}
