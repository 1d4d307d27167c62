import { setTimeout as delay } from 'node:timers/promises';
import type { CheckResult } from '../../audit/verify/check-result.js';
import type { Trust } from '../../audit/verify/trust.js';
import {
  logOrigin,
  parseSignedCheckpoint,
  type SignedCheckpoint,
} from '../../kernel/checkpoint.js';
import { formatNote } from '../../kernel/signed-note.js';
import { AuditFault } from './audit-fault.js';
import { withProgress } from './audit-progress.js';
import type { AuditReport } from './audit-report.js';
import { checkKept, checkPublished } from './checkpoint-checks.js';
import { checkpointToKeep, type CheckpointToKeep } from './checkpoint-to-keep.js';
import { compareStates, NOTHING_COMPARED, settled, type StatesSoFar } from './compare-states.js';
import { firstForeign } from './first-foreign-leaf.js';
import { lineBlocks } from './line-blocks.js';
import { LogAudit } from './log-audit.js';
import { openLog } from './open-log.js';
import { publishedCheckpoints } from './published-checkpoints.js';
import type { ServiceClient } from './service-client.js';
import { untilCut } from './until-cut.js';

export interface LogFollowerOptions {
  readonly client: ServiceClient;
  readonly trust: Trust;
  /** From an earlier audit, if there was one. */
  readonly kept: SignedCheckpoint | undefined;
  readonly threads: number;
  readonly tell: (line: string) => void;
}

/** What one look at the service came to. */
export interface ServiceAudit {
  readonly report: AuditReport;
  /** The newest checkpoint, or why it is not kept. */
  readonly keeping: CheckpointToKeep;
}

/** Before the last of it is settled. */
interface Reading extends ServiceAudit {
  readonly states: StatesSoFar;
}

/**
 * For so long entries are waited for that tell of the erasures of which the service already speaks. They are
 * recorded in the next moment, and the service is asked for a checkpoint that covers them.
 */
const PATIENCE_MS = 20_000;
const PAUSE_MS = 500;

/** Follows the log of a live service: the first look reads all of it, each later one what is new. */
export class LogFollower {
  #log: LogAudit | undefined;
  #origin = '';
  #kept: SignedCheckpoint | undefined;

  constructor(private readonly options: LogFollowerOptions) {
    this.#kept = options.kept;
  }

  /**
   * Of a log that cannot be read to its end, what stands before the damage: nothing follows after that.
   * @throws {AuditFault} when something that is needed cannot be read
   */
  async look(): Promise<ServiceAudit> {
    let reading = await this.#readOn();
    const end = performance.now() + PATIENCE_MS;
    while (isOpen(reading) && performance.now() < end) {
      if (await this.#hasGrown(reading)) reading = joined(reading, await this.#readOn(reading));
      else await delay(PAUSE_MS);
    }
    const { report, keeping } = reading;
    return { report, keeping };
  }

  /** To the newest checkpoint. */
  async #readOn(before?: Reading): Promise<Reading> {
    const newest = await this.#newest();
    const log = (this.#log ??= await this.#begin());
    const from = log.size;
    const { checkpoints, leftOut } = await publishedCheckpoints(this.options.client, from);
    // The newest is listed as well, and judged once.
    const own = formatNote(newest.note);
    const isOther = (each: SignedCheckpoint): boolean =>
      each.checkpoint.size > from && formatNote(each.note) !== own;
    const ahead = [...checkpoints.filter(isOther), newest];
    const remembered = [...this.options.trust.checkpoints, ...(this.#kept ? [this.#kept] : [])];
    for (const { checkpoint } of [...ahead, ...remembered]) log.watch(checkpoint.size);
    // Not only to the newest: the list may be of another node, or of a moment later.
    const until = [...ahead, ...remembered].reduce(
      (size, { checkpoint }) => Math.max(size, checkpoint.size),
      0,
    );
    const cut = await untilCut(log, () => this.#readTo(log, until));
    // What was not read is no sign that it is not there.
    const isReached = ({ checkpoint }: SignedCheckpoint): boolean =>
      cut === null || checkpoint.size <= log.size;

    const rootAt = (size: number): Uint8Array | undefined => log.rootAt(size);
    const judge = (given: SignedCheckpoint): CheckResult =>
      checkPublished(given, this.#origin, this.options.trust, rootAt);
    const published = ahead.filter(isReached).map((given) => ({ given, check: judge(given) }));
    const tree = [
      ...remembered.filter(isReached).map((each) => checkKept(each, this.#origin, rootAt)),
      ...published.map(({ check }) => check),
    ];
    // Looking for it means to read the log anew, which then breaks off as well.
    const foreign =
      cut === null
        ? await firstForeign(log, this.options.client, { tree, from, ahead })
        : undefined;
    if (foreign !== undefined) tree.push(foreign);
    // The command of the last entry may have made one more, which the checkpoint does not cover.
    const events = await log.events(false);
    const keeping = checkpointToKeep({
      isWhole: cut === null,
      tree,
      events,
      newest: published.at(-1),
      kept: this.#kept,
    });
    if (keeping.ok) this.#kept = keeping.value;
    // Where it was damaged no state is known: some streams were read beyond that.
    const states =
      cut === null
        ? await compareStates(log, this.options.client, from, before?.states)
        : { ...(before?.states ?? NOTHING_COMPARED), untold: NOTHING_COMPARED.untold };
    const isCompared = cut === null || before !== undefined;
    const report: AuditReport = {
      tree,
      checkpointsLeftOut: leftOut,
      events,
      size: log.size,
      root: log.root,
      compared: isCompared ? settled(states) : 'the log was not read to its end',
      cut,
    };
    return { report, keeping, states };
  }

  async end(): Promise<void> {
    await this.#log?.end();
  }

  /** Is there a checkpoint that covers more? For the events of these interactions one is asked for. */
  async #hasGrown({ report, states }: Reading): Promise<boolean> {
    for (const interactionId of states.untold.keys()) {
      await this.options.client.touch(`/v1/interactions/${interactionId}/evidence?texts=false`);
      break;
    }
    return (await this.#newest()).checkpoint.size > report.size;
  }

  async #newest(): Promise<SignedCheckpoint> {
    const note = await this.options.client.checkpoint();
    if (note === undefined) {
      throw new AuditFault('service-refused', 'the service has published no checkpoint yet');
    }
    const newest = parseSignedCheckpoint(note);
    if (newest === undefined) {
      throw new AuditFault('checkpoint-malformed', 'what the service publishes is no checkpoint');
    }
    return newest;
  }

  async #begin(): Promise<LogAudit> {
    const { client, threads } = this.options;
    const source = lineBlocks(client.events(null));
    const { audience } = await openLog(source);
    this.#origin = logOrigin(audience);
    // Its first block was enough: the connection is not kept.
    await source.return(undefined);
    return new LogAudit({ audience, threads, documents: true });
  }

  /** What is not there cannot be read: the checkpoints that lie beyond say so. */
  async #readTo(log: LogAudit, size: number): Promise<void> {
    await withProgress(log, size, this.options.tell, async () => {
      while (log.size < size) {
        const before = log.size;
        try {
          await log.take(lineBlocks(this.options.client.events(log.position)), size);
          return;
        } catch (error) {
          // A stream does not last for ever: where one broke off, the next goes on.
          const isCut = error instanceof AuditFault && error.fault.code === 'service-unreachable';
          if (!isCut || log.size === before) throw error;
        }
      }
    });
  }
}

/** May the entries to come still bear the service out? Not where something is wrong already. */
function isOpen({ report: { tree, events }, states }: Reading): boolean {
  const hasFailed = events.counts.failed > 0 || tree.some(({ result }) => result === 'failed');
  return states.untold.size > 0 && !hasFailed;
}

/** What was told of a checkpoint before is told again only where it is something else. */
function joined(before: Reading, after: Reading): Reading {
  const told = [...before.report.tree, ...after.report.tree];
  const tree = [...new Map(told.map((each) => [JSON.stringify(each), each])).values()];
  const { checkpointsLeftOut } = before.report;
  return { ...after, report: { ...after.report, tree, checkpointsLeftOut } };
}
