import { AuditFault } from './audit-fault.js';
import type { LogAudit } from './log-audit.js';
import type { ServiceClient } from './service-client.js';
import { MAX_FINDINGS } from './shard-protocol.js';
import type { Difference } from './state-difference.js';

/** The document, none (which no log of it allows), or what an erasure left. */
const ANSWERS: ReadonlySet<number> = new Set([200, 404, 410]);

/** Questions that are under way at one time. */
const CONCURRENT = 8;

export interface ComparedStates {
  readonly interactions: number;
  readonly differing: number;
  /** The first of them that were found. */
  readonly differences: readonly Difference[];
}

/**
 * Asks the service for the interactions of which an event stands at `from` or later, each as its log
 * had it at the newest entry that was read, so that a service that moves on gives no false alarm; and
 * compares the answers with what the log leads to.
 */
export async function compareStates(
  log: LogAudit,
  client: ServiceClient,
  from: number,
): Promise<ComparedStates> {
  const { position } = log;
  const differences: Difference[] = [];
  let interactions = 0;
  let differing = 0;
  const compare = async (interactionId: string, at: string): Promise<void> => {
    const path = `/v1/interactions/${interactionId}?at=${at}`;
    const { status, body } = await client.json(path);
    if (!ANSWERS.has(status)) {
      throw new AuditFault('service-refused', `${path} was answered with HTTP ${String(status)}`);
    }
    interactions++;
    const difference = await log.compare({ interactionId, status, body });
    if (difference === null) return;
    differing++;
    if (differences.length < MAX_FINDINGS) differences.push(difference);
  };
  if (position === null) return { interactions, differing, differences };
  for await (const ids of log.interactions(from)) {
    const waiting = ids.values();
    const ask = async (): Promise<void> => {
      for (const interactionId of waiting) await compare(interactionId, position);
    };
    await Promise.all(Array.from({ length: CONCURRENT }, ask));
  }
  return { interactions, differing, differences };
}
