import { isDeepStrictEqual } from 'node:util';
import type { Task } from '@a2a-js/sdk';
import type { Json } from '../../kernel/json.js';
import type { DirectOutcome } from './direct-caller.js';
import type { Narrator } from './story.js';

/** The task of a call that is done; throws otherwise. */
export function completed(outcome: DirectOutcome): Task {
  return taskIn(outcome, 'completed');
}

/** The task of a call, in the state that the story expects; throws otherwise. */
export function taskIn(outcome: DirectOutcome, state: string): Task {
  if (outcome.kind === 'refused') throw new Error(`${outcome.code}: ${outcome.message}`);
  expectEqual(outcome.state, state);
  return outcome.task;
}

/**
 * Tells how a call was refused, and throws if it was not, or otherwise.
 * @param code of RFC section 5, without its prefix
 * @param refusal why, inside that code
 */
export function refused(
  outcome: DirectOutcome,
  code: string,
  refusal: string,
  say: Narrator,
): void {
  if (outcome.kind === 'task') throw new Error(`${outcome.state} instead of ${code}`);
  expectEqual([outcome.code, outcome.refusal], [`SKILL_DIRECT_INVOKE_${code}`, refusal]);
  say(`   ${outcome.code}, ${refusal}: ${outcome.message}`);
}

/** Throws unless the two are the same JSON. */
export function expectEqual(actual: Json | undefined, expected: Json): void {
  if (isDeepStrictEqual(actual, expected)) return;
  throw new Error(`${JSON.stringify(actual)} instead of ${JSON.stringify(expected)}`);
}
