import type { CheckResult } from '../../audit/verify/check-result.js';
import type { Trust } from '../../audit/verify/trust.js';
import {
  logOrigin,
  parseSignedCheckpoint,
  type SignedCheckpoint,
} from '../../kernel/checkpoint.js';
import { encodeBase64Url } from '../../kernel/base64url.js';
import { sameHash } from '../../kernel/merkle.js';
import { AuditFault } from './audit-fault.js';
import { withProgress } from './audit-progress.js';
import type { AuditReport } from './audit-report.js';
import { checkKept, checkPublished } from './checkpoint-checks.js';
import { compareStates } from './compare-states.js';
import { firstForeignLeaf } from './first-foreign-leaf.js';
import { openLog } from './first-event.js';
import { lineBlocks } from './line-blocks.js';
import { LogAudit } from './log-audit.js';
import { publishedCheckpoints } from './published-checkpoints.js';
import type { ServiceClient } from './service-client.js';

export interface ServiceAuditOptions {
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
  /** The newest checkpoint, when the entries lead to it and to all before it, the kept one too. */
  readonly proved: SignedCheckpoint | undefined;
}

/** Follows the log of a live service: the first look reads all of it, each later one what is new. */
export class LogFollower {
  #log: LogAudit | undefined;
  #origin = '';
  #kept: SignedCheckpoint | undefined;

  constructor(private readonly options: ServiceAuditOptions) {
    this.#kept = options.kept;
  }

  /** @throws {AuditFault} when something that is needed cannot be read */
  async look(): Promise<ServiceAudit> {
    const newest = await this.#newest();
    const log = (this.#log ??= await this.#begin());
    const from = log.size;
    const { checkpoints, leftOut } = await publishedCheckpoints(this.options.client, from);
    const ahead = [...checkpoints.filter(({ checkpoint }) => checkpoint.size > from), newest];
    const remembered = [...this.options.trust.checkpoints, ...(this.#kept ? [this.#kept] : [])];
    for (const { checkpoint } of [...ahead, ...remembered]) log.watch(checkpoint.size);
    const until = Math.max(...[newest, ...remembered].map(({ checkpoint }) => checkpoint.size));
    await this.#readTo(log, until);

    const rootAt = (size: number): Uint8Array | undefined => log.rootAt(size);
    const tree = [
      ...remembered.map((each) => checkKept(each, this.#origin, rootAt)),
      ...ahead.map((each) => checkPublished(each, this.#origin, this.options.trust, rootAt)),
    ];
    const foreign = await this.#firstForeign(log, tree, from, ahead);
    if (foreign !== undefined) tree.push(foreign);
    const isConsistent = tree.every(({ result }) => result !== 'failed');
    // A node that lags shows an older one: what was kept is never given up for it.
    const isNewest = newest.checkpoint.size >= (this.#kept?.checkpoint.size ?? 0);
    const proved = isConsistent && isNewest ? newest : undefined;
    this.#kept = proved ?? this.#kept;
    const report: AuditReport = {
      tree,
      checkpointsLeftOut: leftOut,
      // The command of the last entry may have made one more, which the checkpoint does not cover.
      events: await log.events(false),
      size: log.size,
      root: encodeBase64Url(log.root),
      compared: await compareStates(log, this.options.client, from),
    };
    return { report, proved };
  }

  async end(): Promise<void> {
    await this.#log?.end();
  }

  /** Where the entries leave the tree of the first checkpoint that they do not lead to. */
  async #firstForeign(
    log: LogAudit,
    tree: readonly CheckResult[],
    from: number,
    ahead: readonly SignedCheckpoint[],
  ): Promise<CheckResult | undefined> {
    if (!tree.some(({ reason }) => reason === 'root-mismatch' || reason === 'log-shorter')) {
      return undefined;
    }
    const sizes = ahead.map(({ checkpoint }) => checkpoint.size).sort((a, b) => a - b);
    const isRight = ({ checkpoint }: SignedCheckpoint): boolean => {
      const root = log.rootAt(checkpoint.size);
      return root !== undefined && sameHash(root, checkpoint.rootHash);
    };
    const right = ahead.filter(isRight).map(({ checkpoint }) => checkpoint.size);
    const known = Math.max(from, ...right);
    const wrong = sizes.find((size) => size > known);
    return wrong === undefined
      ? undefined
      : firstForeignLeaf(log, this.options.client, known, wrong);
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
