import type { UntoldWebhook } from '../directory/task-directory.js';

/**
 * Orders webhooks: always the next one of the tenant of which the fewest are being told.
 * @param queues a list per tenant
 * @param countOf how many of a tenant are being told now; asked anew before each webhook
 */
export function* fewestFirst(
  queues: readonly (readonly UntoldWebhook[])[],
  countOf: (tenant: string) => number,
): Generator<UntoldWebhook> {
  let waiting = queues.map((queue) => [...queue]);
  for (;;) {
    waiting = waiting.filter((queue) => queue.length > 0);
    const [next] = waiting
      .map((queue) => ({ queue, count: countOf(queue[0]?.tenant ?? '') }))
      .sort((one, other) => one.count - other.count);
    const webhook = next?.queue.shift();
    if (webhook === undefined) return;
    yield webhook;
  }
}
