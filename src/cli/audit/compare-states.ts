import { AuditFault } from './audit-fault.js';
import type { LogAudit } from './log-audit.js';
import type { ServiceClient } from './service-client.js';
import type { Difference } from './state-difference.js';

/** The document, none (which no log of it allows), or what an erasure left. */
const ANSWERS: ReadonlySet<number> = new Set([200, 404, 410]);

/** Questions that are under way at one time. */
const CONCURRENT = 8;

/**
 * Asks the service for the interactions of which an event stands at `from` or later, each as its log
 * had it at the newest entry that was read, so that a service that moves on gives no false alarm; and
 * compares the answers with what the log leads to.
 */
export async function compareStates(
  log: LogAudit,
  client: ServiceClient,
  from: number,
): Promise<{ readonly interactions: number; readonly differences: readonly Difference[] }> {
  const ids = await log.interactions(from);
  const { position } = log;
  const differences: Difference[] = [];
  let next = 0;
  const ask = async (): Promise<void> => {
    while (next < ids.length && position !== null) {
      const interactionId = ids[next++] ?? '';
      const path = `/v1/interactions/${interactionId}?at=${position}`;
      const { status, body } = await client.json(path);
      if (!ANSWERS.has(status)) {
        throw new AuditFault('service-refused', `${path} was answered with HTTP ${String(status)}`);
      }
      const difference = await log.compare({ interactionId, status, body });
      if (difference !== null) differences.push(difference);
    }
  };
  await Promise.all(Array.from({ length: CONCURRENT }, ask));
  return { interactions: ids.length, differences };
}
