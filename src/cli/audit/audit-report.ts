import { summarize, type CheckResult } from '../../audit/verify/check-result.js';
import { encodeBase64 } from '../../kernel/base64.js';
import {
  checkLines,
  countsLine,
  countsOf,
  ONLY_ERASED,
  VERDICT_EXIT_CODES,
  VERDICT_WORDS,
} from '../check-lines.js';
import type { CliFault } from '../cli-fault.js';
import type { CommandOutput } from '../command.js';
import { counted } from '../counted.js';
import { printable } from '../printable.js';
import { keepingLine, type CheckpointToKeep } from './checkpoint-to-keep.js';
import type { ComparedStates } from './compare-states.js';
import type { AuditedEvents } from './log-audit.js';
import type { Difference } from './state-difference.js';
import { toldCheckpoints } from './told-checkpoints.js';

/** Nothing failed as far as it could be read, but not all of it could. */
const UNREAD = 2;
/** The log holds what it says, but the service answers something else. */
const DIFFERS = 4;

export type NotCompared = 'an export answers no questions' | 'the log was not read to its end';

export interface AuditReport {
  /** Checkpoints, published and kept. */
  readonly tree: readonly CheckResult[];
  readonly events: AuditedEvents;
  /** Checkpoints that the service lists and that were not looked at: too many. */
  readonly checkpointsLeftOut: number;
  /** How many entries were read, and the root that they lead to. */
  readonly size: number;
  readonly root: Uint8Array;
  /** Or why nothing was compared. */
  readonly compared: ComparedStates | NotCompared;
  /** Why the rest could not be read: then the checks of events are not counted. */
  readonly cut: CliFault | null;
}

/**
 * One line per finding, one per number, and the verdict last.
 * @param keeping what became of `--state`; null without
 */
export function reportOf(
  { tree, events, checkpointsLeftOut, size, root, compared, cut }: AuditReport,
  keeping: CheckpointToKeep | null,
): Required<CommandOutput> {
  const { result } = summarize([...tree, ...events.findings]);
  const differences = typeof compared === 'string' ? [] : compared.differences;
  const counts = { ...events.counts, erased: events.erased };
  const isOnlyErased =
    result === 'not-checkable' && counts['not-checkable'] + countsOf(tree)['not-checkable'] === 0;
  const isDiffering = result !== 'failed' && differences.length > 0;
  const verdict = isDiffering
    ? 'the service answers otherwise than its log says'
    : `${VERDICT_WORDS[result]}${isOnlyErased ? ONLY_ERASED : ''}`;
  const lines = [
    checkLines(toldCheckpoints(tree)),
    checkLines(events.findings),
    ...differences.map(differenceLine),
    ...leftOutLine(checkpointsLeftOut),
    `${String(size)} entries, root ${encodeBase64(root)}\n`,
    cut === null ? countsLine('checks of events', counts) : '',
    comparedLine(compared),
    keeping === null ? '' : keepingLine(keeping),
    `${cut === null || result === 'failed' ? verdict : 'not read to its end'}\n`,
  ];
  const exitCode = isDiffering ? DIFFERS : VERDICT_EXIT_CODES[result];
  if (cut === null) return { stdout: lines.join(''), stderr: '', exitCode };
  const stderr = `${cut.code}: ${printable(cut.detail)}\n`;
  return { stdout: lines.join(''), stderr, exitCode: result === 'failed' ? exitCode : UNREAD };
}

function leftOutLine(count: number): readonly string[] {
  if (count === 0) return [];
  return [`${counted(count, 'older checkpoint')} ${count === 1 ? 'was' : 'were'} left out\n`];
}

function comparedLine(compared: ComparedStates | NotCompared): string {
  if (typeof compared === 'string') return `states were not compared: ${compared}\n`;
  const { interactions, differing } = compared;
  const differ = `${String(differing)} ${differing === 1 ? 'differs' : 'differ'}`;
  return `${counted(interactions, 'interaction')} compared with the service, ${differ}\n`;
}

function differenceLine({ subject, pointer, inLog, inAnswer }: Difference): string {
  const at = pointer === '' ? '' : ` ${printable(pointer)}`;
  const said = `log ${printable(inLog ?? 'nothing')}, service ${printable(inAnswer ?? 'nothing')}`;
  return `differs        state             ${printable(subject)}${at}: ${said}\n`;
}
