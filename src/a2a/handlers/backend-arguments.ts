import type { SchemaJudge } from '../../capabilities/queries/schemas/schema-judge.js';
import { isObject, type JsonObject } from '../../kernel/json.js';
import type { Fault } from '../../kernel/rejection.js';
import { err, ok, type Result } from '../../kernel/result.js';
import { invalidParams } from '../tasks/domain/refusals.js';
import { MAX_DATA_PARTS } from '../routing/structure.js';
import type { A2aRefusal } from '../wire/refusal.js';
import type { Message, Part } from '../wire/types.js';

const ONE_NEEDED = 'must hold exactly one data part that fits the input schema of the skill';
const TOO_MANY = `may hold at most ${MAX_DATA_PARTS} data parts: of more it is not found out which one fits`;

/**
 * What the backend of a capability gets of a message: the one data part that fits the input schema.
 * Refuses InvalidParams `data-unfit`, also where there are more data parts than are looked at.
 * @param message what was said, with what was said before it about the same
 * @param sent the message as it was sent: what is wrong is pointed to there
 * @param judge by the input schema; null when that does not compile: then nothing fits
 */
export function backendArguments(
  { parts }: Message,
  sent: Message,
  judge: SchemaJudge | null,
): Result<JsonObject, A2aRefusal> {
  const data = parts.flatMap((part, index) => (hasData(part) ? [{ part, index }] : []));
  if (data.length > MAX_DATA_PARTS) return err(unfitBecause(TOO_MANY));
  const fitting = data.flatMap(({ part: { data: value } }) =>
    isObject(value) && judge?.fits(value) === true ? [value] : [],
  );
  const [only] = fitting;
  if (fitting.length === 1 && only !== undefined) return ok(only);
  const [single] = data;
  if (data.length !== 1 || single === undefined) return err(unfit());
  const index = single.index - (parts.length - sent.parts.length);
  return err(index < 0 ? unfit() : unfit(single.part, index, judge));
}

function hasData({ data }: Part): boolean {
  return data !== undefined;
}

/** Of the only data part of a message, that and where it does not fit. */
function unfit({ data }: Part = {}, index = 0, judge: SchemaJudge | null = null): A2aRefusal {
  const found = data === undefined || judge === null ? [] : judge.faults(data);
  const faults = found.map(({ pointer, detail }) => ({
    pointer: `/message/parts/${index}/data${pointer}` as const,
    detail,
  }));
  return unfitBecause(ONE_NEEDED, faults);
}

function unfitBecause(detail: string, faults: readonly Fault[] = []): A2aRefusal {
  return invalidParams('data-unfit', [{ pointer: '/message/parts', detail }, ...faults]);
}
