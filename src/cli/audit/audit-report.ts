import { summarize, type CheckResult, type Verdict } from '../../audit/verify/check-result.js';
import { checkLines, VERDICT_EXIT_CODES, VERDICT_WORDS } from '../check-lines.js';
import type { CommandOutput } from '../command.js';
import { printable } from '../printable.js';
import type { ComparedStates } from './compare-states.js';
import type { AuditedEvents } from './log-audit.js';
import type { Difference } from './state-difference.js';

/** The log holds what it says, but the service answers something else. */
const DIFFERS = 4;

/** How often each line is repeated for others of its kind at most. */
const MAX_LINES = 20;

export interface AuditReport {
  /** Checkpoints, published and kept. */
  readonly tree: readonly CheckResult[];
  readonly events: AuditedEvents;
  /** Checkpoints that the service lists and that were not looked at: too many. */
  readonly checkpointsLeftOut: number;
  /** How many entries were read, and the root that they lead to. */
  readonly size: number;
  readonly root: string;
  /** Null when nothing was compared: an export answers no questions. */
  readonly compared: ComparedStates | null;
}

/** One line per finding, one per number, and the verdict last. */
export function reportOf({
  tree,
  events,
  checkpointsLeftOut,
  size,
  root,
  compared,
}: AuditReport): Required<CommandOutput> {
  const ofTree = summarize([...tree, ...events.findings]).result;
  const differences = compared?.differences ?? [];
  const { verified, failed, 'not-checkable': gaps } = events.counts;
  const lines = [
    checkLines(shortened(tree)),
    checkLines(events.findings),
    ...differences.map(differenceLine),
    ...leftOutLine(checkpointsLeftOut),
    `${String(size)} entries, root ${root}\n`,
    `checks of events: ${String(verified)} verified, ${String(failed)} failed, ${String(gaps)} not checkable, ${String(events.erased)} erased\n`,
    compared === null
      ? 'states were not compared: an export answers no questions\n'
      : `${String(compared.interactions)} interactions compared with the service, ${String(compared.differing)} differ\n`,
    `${verdictOf(ofTree, differences)}\n`,
  ];
  const exitCode =
    ofTree !== 'failed' && differences.length > 0 ? DIFFERS : VERDICT_EXIT_CODES[ofTree];
  return { stdout: lines.join(''), stderr: '', exitCode };
}

function leftOutLine(count: number): readonly string[] {
  return count === 0 ? [] : [`${String(count)} older checkpoints were left out\n`];
}

function verdictOf(result: Verdict, differences: readonly Difference[]): string {
  if (result === 'failed' || differences.length === 0) return VERDICT_WORDS[result];
  return 'the service answers otherwise than its log says';
}

/** Of the checkpoints that fit, the newest alone is told; what is wrong is told in the log's order. */
function shortened(tree: readonly CheckResult[]): readonly CheckResult[] {
  const newest = tree.findLast(
    ({ result, check }) => check === 'checkpoint' && result === 'verified',
  );
  const told = tree.filter(
    (each) => each === newest || each.check !== 'checkpoint' || each.result !== 'verified',
  );
  return told.slice(0, MAX_LINES);
}

function differenceLine({ subject, pointer, inLog, inAnswer }: Difference): string {
  const at = pointer === '' ? '' : ` ${printable(pointer)}`;
  const said = `log ${printable(inLog ?? 'nothing')}, service ${printable(inAnswer ?? 'nothing')}`;
  return `differs        state             ${printable(subject)}${at}: ${said}\n`;
}
