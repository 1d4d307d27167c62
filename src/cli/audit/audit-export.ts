import { conclude, gap, type CheckResult } from '../../audit/verify/check-result.js';
import type { Trust } from '../../audit/verify/trust.js';
import { logOrigin, type SignedCheckpoint } from '../../kernel/checkpoint.js';
import { BEGINNING_BYTES, inputKind } from '../input-kind.js';
import { AuditFault } from './audit-fault.js';
import { withProgress } from './audit-progress.js';
import type { AuditReport } from './audit-report.js';
import { checkKept, checkPublished } from './checkpoint-checks.js';
import { checkpointToKeep, type CheckpointToKeep } from './checkpoint-to-keep.js';
import { chunksOf } from './export-chunks.js';
import { lineBlocks } from './line-blocks.js';
import { LogAudit } from './log-audit.js';
import { untilCut } from './until-cut.js';
import { openLog, type OpenedLog } from './open-log.js';

export interface ExportAuditOptions {
  /** An NDJSON export of the whole log; `-` for stdin. */
  readonly file: string;
  readonly trust: Trust;
  /** Whose roots the entries must lead to: with a signature, and for having been kept. */
  readonly published: readonly SignedCheckpoint[];
  readonly kept: SignedCheckpoint | undefined;
  readonly threads: number;
  readonly tell: (line: string) => void;
}

/** What an export came to. */
export interface ExportAudit {
  readonly report: AuditReport;
  /** The newest checkpoint that was given, or why it is not kept. */
  readonly keeping: CheckpointToKeep;
}

/**
 * Audits an export, offline; of one that is damaged behind its first event, what stands before the damage.
 * @throws {AuditFault} when nothing of it can be read
 */
export async function auditExport(options: ExportAuditOptions): Promise<ExportAudit> {
  const { trust, published, kept, threads, tell } = options;
  const { audience, blocks } = await openExport(options.file);
  const log = new LogAudit({ audience, threads, documents: false });
  try {
    const remembered = [...trust.checkpoints, ...(kept ? [kept] : [])];
    for (const { checkpoint } of [...published, ...remembered]) log.watch(checkpoint.size);
    const cut = await withProgress(log, undefined, tell, () =>
      untilCut(log, () => log.take(blocks)),
    );
    const origin = logOrigin(audience);
    const rootAt = (size: number): Uint8Array | undefined => log.rootAt(size);
    // What was not read is no sign that it is not there.
    const isReached = ({ checkpoint }: SignedCheckpoint): boolean =>
      cut === null || checkpoint.size <= log.size;
    const judged = published
      .filter(isReached)
      .map((given) => ({ given, check: checkPublished(given, origin, trust, rootAt) }))
      .toSorted((a, b) => a.given.checkpoint.size - b.given.checkpoint.size);
    const tree = [
      ...remembered.filter(isReached).map((each) => checkKept(each, origin, rootAt)),
      ...judged.map(({ check }) => check),
      ...checkReach([...remembered, ...published], log.size, trust),
    ];
    const events = await log.events(cut === null);
    return {
      report: {
        tree,
        checkpointsLeftOut: 0,
        events,
        size: log.size,
        root: log.root,
        compared: 'an export answers no questions',
        cut,
      },
      keeping: checkpointToKeep({
        isWhole: cut === null,
        tree,
        events,
        newest: judged.at(-1),
        kept,
      }),
    };
  } finally {
    await log.end();
  }
}

/** @throws {AuditFault} `input-unreadable`, `events-malformed`: what another command takes is told as that */
async function openExport(file: string): Promise<OpenedLog> {
  let beginning: Uint8Array = new Uint8Array();
  const noted = async function* (): AsyncGenerator<Uint8Array, undefined> {
    for await (const chunk of chunksOf(file)) {
      // A copy: a chunk holds only until the next is asked for.
      if (beginning.length === 0) beginning = new Uint8Array(chunk.subarray(0, BEGINNING_BYTES));
      yield chunk;
    }
  };
  try {
    return await openLog(lineBlocks(noted()));
  } catch (error) {
    const kind = inputKind(beginning);
    const isOurs = error instanceof AuditFault && error.fault.code === 'events-malformed';
    throw isOurs && kind !== undefined
      ? new AuditFault('events-malformed', `${error.fault.detail}; ${kind}`)
      : error;
  }
}

/** What lies behind every checkpoint that was given is proved by none. */
function checkReach(
  given: readonly SignedCheckpoint[],
  size: number,
  { keys }: Trust,
): readonly CheckResult[] {
  const reach = Math.max(0, ...given.map(({ checkpoint }) => checkpoint.size));
  if (reach >= size) return [];
  const nothing = gap(keys.length === 0 ? 'log-unnamed' : 'checkpoint-missing');
  const flaw = given.length === 0 ? nothing : gap('beyond-trust', `from ${String(reach)}`);
  return [conclude('checkpoint', `${String(size)} entries`, flaw)];
}
