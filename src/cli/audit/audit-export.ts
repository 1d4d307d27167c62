import { conclude, gap, type CheckResult } from '../../audit/verify/check-result.js';
import type { Trust } from '../../audit/verify/trust.js';
import { encodeBase64Url } from '../../kernel/base64url.js';
import { logOrigin, type SignedCheckpoint } from '../../kernel/checkpoint.js';
import { withProgress } from './audit-progress.js';
import type { AuditReport } from './audit-report.js';
import { checkKept, checkPublished } from './checkpoint-checks.js';
import { chunksOf } from './export-chunks.js';
import { openLog } from './first-event.js';
import { lineBlocks } from './line-blocks.js';
import { LogAudit } from './log-audit.js';

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

/**
 * Audits an export, offline.
 * @throws {AuditFault} when it cannot be read
 */
export async function auditExport(options: ExportAuditOptions): Promise<AuditReport> {
  const { trust, published, kept, threads, tell } = options;
  const { audience, blocks } = await openLog(lineBlocks(chunksOf(options.file)));
  const log = new LogAudit({ audience, threads, documents: false });
  try {
    const remembered = [...trust.checkpoints, ...(kept ? [kept] : [])];
    for (const { checkpoint } of [...published, ...remembered]) log.watch(checkpoint.size);
    await withProgress(log, undefined, tell, () => log.take(blocks));
    const origin = logOrigin(audience);
    const rootAt = (size: number): Uint8Array | undefined => log.rootAt(size);
    return {
      tree: [
        ...remembered.map((each) => checkKept(each, origin, rootAt)),
        ...published.map((each) => checkPublished(each, origin, trust, rootAt)),
        ...checkReach([...remembered, ...published], log.size, trust),
      ],
      checkpointsLeftOut: 0,
      events: await log.events(true),
      size: log.size,
      root: encodeBase64Url(log.root),
      compared: null,
    };
  } finally {
    await log.end();
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
