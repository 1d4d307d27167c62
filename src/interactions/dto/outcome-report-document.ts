import { ApiProperty } from '@nestjs/swagger';
import { pointerTo, type JsonPointer } from '../../kernel/json.js';
import type { Fault, Rejection } from '../../kernel/rejection.js';
import { err, ok, type Result } from '../../kernel/result.js';
import type { OutcomeReport, ItemVerdict } from '../domain/outcome-report.js';

const VERDICTS = ['met', 'missed', 'partial', 'unknown'] as const satisfies readonly ItemVerdict[];

export class OutcomeAnswerDocument {
  @ApiProperty({ description: 'The exact text of the entry that is answered' })
  readonly item!: string;

  @ApiProperty({ enum: VERDICTS })
  readonly verdict!: ItemVerdict;

  @ApiProperty({ type: [String], description: 'URIs or digests of what supports the verdict' })
  readonly references!: readonly string[];
}

/** Describes {@link OutcomeReport}: one answer for every entry of the terms in force. */
export class OutcomeReportDocument {
  @ApiProperty({ type: () => [OutcomeAnswerDocument] })
  readonly successCriteria!: readonly OutcomeAnswerDocument[];

  @ApiProperty({ type: () => [OutcomeAnswerDocument] })
  readonly completionConditions!: readonly OutcomeAnswerDocument[];

  @ApiProperty({ type: () => [OutcomeAnswerDocument] })
  readonly evidenceRequirements!: readonly OutcomeAnswerDocument[];
}

const LISTS: ReadonlySet<string> = new Set<keyof OutcomeReport>([
  'successCriteria',
  'completionConditions',
  'evidenceRequirements',
]);
const ANSWER_MEMBERS: ReadonlySet<string> = new Set(['item', 'verdict', 'references']);
const MAX_FAULTS = 50;

/**
 * Reads a report as parsed: it is handed on as it is, because its hash is signed. A body may hold
 * thousands of answers, so it is read in one plain pass.
 *
 * Refuses with `request-invalid` and up to 50 faults, under the pointer `/report`.
 */
export function parseOutcomeReport(report: object): Result<OutcomeReport, Rejection> {
  const faults: Fault[] = [];
  for (const fault of faultsOfReport(report)) {
    faults.push(fault);
    if (faults.length === MAX_FAULTS) break;
  }
  return faults.length === 0
    ? ok(report as OutcomeReport)
    : err({ code: 'request-invalid', faults });
}

function* faultsOfReport(report: object): Generator<Fault> {
  const at = '/report';
  yield* unknownMembers(report, LISTS, at);
  for (const list of LISTS) {
    const answers: unknown = (report as Record<string, unknown>)[list];
    const pointer = pointerTo(at, list);
    if (!Array.isArray(answers)) {
      yield { pointer, detail: 'must be an array of answers' };
      continue;
    }
    for (const [index, answer] of answers.entries()) {
      yield* faultsOfAnswer(answer, pointerTo(pointer, index));
    }
  }
}

function* faultsOfAnswer(answer: unknown, at: JsonPointer): Generator<Fault> {
  if (typeof answer !== 'object' || answer === null || Array.isArray(answer)) {
    yield { pointer: at, detail: 'must be an object' };
    return;
  }
  yield* unknownMembers(answer, ANSWER_MEMBERS, at);
  const { item, verdict, references } = answer as Readonly<Record<string, unknown>>;
  if (typeof item !== 'string') yield { pointer: `${at}/item`, detail: 'must be a string' };
  if (!VERDICTS.some((each) => each === verdict)) {
    yield { pointer: `${at}/verdict`, detail: `must be one of ${VERDICTS.join(', ')}` };
  }
  if (!Array.isArray(references) || !references.every((each) => typeof each === 'string')) {
    yield { pointer: `${at}/references`, detail: 'must be an array of strings' };
  }
}

function* unknownMembers(
  value: object,
  known: ReadonlySet<string>,
  at: JsonPointer,
): Generator<Fault> {
  for (const name of Object.keys(value)) {
    if (!known.has(name)) {
      yield { pointer: pointerTo(at, name), detail: 'is not a documented member' };
    }
  }
}
