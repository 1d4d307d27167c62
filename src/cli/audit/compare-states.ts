import { AuditFault } from './audit-fault.js';
import type { LogAudit } from './log-audit.js';
import type { ServiceClient } from './service-client.js';
import { MAX_FINDINGS } from './shard-protocol.js';
import type { Difference } from './state-difference.js';

/** The document, none (which no log of it allows), or what an erasure left. */
const ANSWERS: ReadonlySet<number> = new Set([200, 404, 410]);

/** Questions that are under way at one time. */
const CONCURRENT = 8;

/** Of those whose answer the log may still bear out; more would only fill memory. */
const MAX_OPEN = 100_000;

export interface ComparedStates {
  readonly interactions: number;
  readonly differing: number;
  /** The first of them that were found. */
  readonly differences: readonly Difference[];
}

/** As far as the log has been read. */
export interface StatesSoFar extends ComparedStates {
  /**
   * Of these, by id, the service calls the texts erased and the log does not yet: they are not among the
   * differing ones as long as it may still come to that.
   */
  readonly untold: ReadonlyMap<string, Difference>;
}

/**
 * Asks the service for the interactions of which an event stands at `from` or later, each as its log
 * had it at the newest entry that was read, so that a service that moves on gives no false alarm; and
 * compares the answers with what the log leads to.
 *
 * @param before what an earlier look came to: those that it left open are asked for again
 */
export async function compareStates(
  log: LogAudit,
  client: ServiceClient,
  from: number,
  before: StatesSoFar = NOTHING_COMPARED,
): Promise<StatesSoFar> {
  const { position } = log;
  const differences = [...before.differences];
  const untold = new Map<string, Difference>();
  let interactions = before.interactions - before.untold.size;
  let { differing } = before;
  const compare = async (interactionId: string, at: string): Promise<void> => {
    const path = `/v1/interactions/${interactionId}?at=${at}`;
    const { status, body } = await client.json(path);
    if (!ANSWERS.has(status)) {
      throw new AuditFault('service-refused', `${path} was answered with HTTP ${String(status)}`);
    }
    interactions++;
    const difference = await log.compare({ interactionId, status, body });
    if (difference === null) return;
    if (difference.isUntoldErasure && untold.size < MAX_OPEN) {
      untold.set(interactionId, difference);
      return;
    }
    differing++;
    if (differences.length < MAX_FINDINGS) differences.push(difference);
  };
  const all = async (ids: Iterable<string>, at: string): Promise<void> => {
    const waiting = ids[Symbol.iterator]();
    const ask = async (): Promise<void> => {
      for (let next = waiting.next(); next.done !== true; next = waiting.next()) {
        await compare(next.value, at);
      }
    };
    await Promise.all(Array.from({ length: CONCURRENT }, ask));
  };
  if (position === null) return { interactions, differing, differences, untold };
  await all(before.untold.keys(), position);
  for await (const ids of log.interactions(from)) {
    await all(
      ids.filter((id) => !before.untold.has(id)),
      position,
    );
  }
  return { interactions, differing, differences, untold };
}

export const NOTHING_COMPARED: StatesSoFar = {
  interactions: 0,
  differing: 0,
  differences: [],
  untold: new Map(),
};

/** What it comes to when no entry that would tell of an erasure is waited for any more. */
export function settled({ untold, ...states }: StatesSoFar): ComparedStates {
  return {
    interactions: states.interactions,
    differing: states.differing + untold.size,
    differences: [...states.differences, ...untold.values()].slice(0, MAX_FINDINGS),
  };
}
