import { expect, it } from '@jest/globals';
import { submitTask } from '../../../../src/a2a/tasks/domain/decide.js';
import type { TaskChange } from '../../../../src/a2a/tasks/domain/task.js';
import { resultDigestOfTurn } from '../../../../src/a2a/tasks/domain/turn-result.js';
import { hashJson } from '../../../../src/kernel/digest.js';
import type { Json } from '../../../../src/kernel/json.js';
import type { Uuid } from '../../../../src/kernel/ids.js';
import { timestampOf } from '../../../../src/kernel/timestamp.js';
import { COMPLETED, newTask, routed } from '../support/fixtures.js';

const ID = '11111111-1111-4111-8111-111111111111' as Uuid;
const CALL = '22222222-2222-4222-8222-222222222222' as Uuid;
const ARGUMENTS = hashJson({ x: 1 });
const OTHER = '33333333-3333-4333-8333-333333333333' as Uuid;

function gave(part: { readonly data: Json } | { readonly text: string }): TaskChange {
  return { kind: 'artifact', artifact: { artifactId: 'result', parts: [part] } };
}

it.each<[string, string | null, Uuid, readonly TaskChange[], string | null]>([
  ['its data', ARGUMENTS, CALL, [gave({ data: { b: 1, a: 2 } })], hashJson({ a: 2, b: 1 })],
  ['null, which is data', ARGUMENTS, CALL, [gave({ data: null })], hashJson(null)],
  ['the last of it', ARGUMENTS, CALL, [gave({ data: 1 }), gave({ data: 2 })], hashJson(2)],
  ['nothing without data', ARGUMENTS, CALL, [gave({ text: 'x' })], null],
  ['nothing of a turn without a result', ARGUMENTS, CALL, [], null],
  ['nothing of another call', ARGUMENTS, OTHER, [gave({ data: 1 })], null],
  ['nothing of one without arguments', null, CALL, [gave({ data: 1 })], null],
])('the result of a call with arguments is %s', (_, given, invocationId, changes, digest) => {
  const first = routed(CALL) as Extract<TaskChange, { kind: 'routed' }>;
  const binding = first.binding && {
    ...first.binding,
    ...(given === null ? {} : { argumentsDigest: given }),
  };
  const task = newTask({ changes: [{ ...first, binding }, ...changes, COMPLETED] });
  const events = submitTask(ID, task, () => 'an-id').map((event, revision) => ({
    ...event,
    recordedAt: timestampOf(revision),
    revision,
  }));
  expect(resultDigestOfTurn(events, invocationId)).toBe(digest);
});
