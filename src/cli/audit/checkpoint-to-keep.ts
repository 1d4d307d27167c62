import type { CheckResult } from '../../audit/verify/check-result.js';
import type { SignedCheckpoint } from '../../kernel/checkpoint.js';
import { err, ok, type Result } from '../../kernel/result.js';
import type { AuditedEvents } from './log-audit.js';

/** A checkpoint, and what its own check came to. */
export interface JudgedCheckpoint {
  readonly given: SignedCheckpoint;
  readonly check: CheckResult;
}

/** Why an audit leaves `--state` as it was. */
export interface NotKept {
  readonly code:
    'something-failed' | 'log-cut' | 'checkpoint-missing' | 'checkpoint-older' | 'not-verified';
  /** Entries of the newest checkpoint; null when there was none. */
  readonly size: number | null;
}

/** The checkpoint that is to be kept for the next audit. */
export type CheckpointToKeep = Result<SignedCheckpoint, NotKept>;

export interface AuditedTree {
  /** Whether it was read as far as was meant: of a part nothing is kept. */
  readonly isWhole: boolean;
  /** Of all checkpoints, published and kept. */
  readonly tree: readonly CheckResult[];
  readonly events: Pick<AuditedEvents, 'counts'>;
  /** Undefined when no checkpoint was given. */
  readonly newest: JudgedCheckpoint | undefined;
  /** From an earlier audit, if there was one. */
  readonly kept: SignedCheckpoint | undefined;
}

/**
 * Whether the newest checkpoint may take the place of the one that was kept. What is kept is trusted from
 * then on, without its signature being asked for again: so this one is verified itself (a trusted key has
 * signed it, the entries lead to its root), the log is verified to begin with each that was kept, and
 * nothing failed. That nothing speaks against it is not enough.
 */
export function checkpointToKeep({
  isWhole,
  tree,
  events,
  newest,
  kept,
}: AuditedTree): CheckpointToKeep {
  const size = newest?.given.checkpoint.size ?? null;
  if (events.counts.failed > 0 || tree.some(({ result }) => result === 'failed')) {
    return err({ code: 'something-failed', size });
  }
  if (!isWhole) return err({ code: 'log-cut', size });
  if (newest === undefined) return err({ code: 'checkpoint-missing', size });
  // A node that lags shows an older one: what was kept is never given up for it.
  if (newest.given.checkpoint.size < (kept?.checkpoint.size ?? 0)) {
    return err({ code: 'checkpoint-older', size });
  }
  const vouching = [newest.check, ...tree.filter(({ check }) => check === 'consistency')];
  return vouching.every(({ result }) => result === 'verified')
    ? ok(newest.given)
    : err({ code: 'not-verified', size });
}

/** What is told of it, in one line. */
export function keepingLine(keeping: CheckpointToKeep): string {
  return keeping.ok
    ? `kept: the checkpoint of ${String(keeping.value.checkpoint.size)} entries\n`
    : `nothing kept: ${whyNot(keeping.error)}\n`;
}

function whyNot({ code, size }: NotKept): string {
  switch (code) {
    case 'something-failed':
      return 'something failed';
    case 'log-cut':
      return 'the log was not read to its end';
    case 'checkpoint-missing':
      return 'no checkpoint was given';
    case 'checkpoint-older':
      return `the checkpoint of ${String(size)} entries is older than the one that is kept`;
    case 'not-verified':
      return `the checkpoint of ${String(size)} entries is not verified, which takes a key that --trust names`;
  }
}
