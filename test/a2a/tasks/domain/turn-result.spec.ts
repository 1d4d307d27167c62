import { expect, it } from '@jest/globals';
import { submitTask } from '../../../../src/a2a/tasks/domain/decide.js';
import type { TaskChange } from '../../../../src/a2a/tasks/domain/task.js';
import { resultDigestOfTurn } from '../../../../src/a2a/tasks/domain/turn-result.js';
import type { RoutingLayer } from '../../../../src/a2a/routing/decision.js';
import { hashJson } from '../../../../src/kernel/digest.js';
import type { Json } from '../../../../src/kernel/json.js';
import type { Uuid } from '../../../../src/kernel/ids.js';
import { timestampOf } from '../../../../src/kernel/timestamp.js';
import { COMPLETED, newTask, routed } from '../support/fixtures.js';

const ID = '11111111-1111-4111-8111-111111111111' as Uuid;
const CALL = '22222222-2222-4222-8222-222222222222' as Uuid;
const OTHER = '33333333-3333-4333-8333-333333333333' as Uuid;

function gave(part: { readonly data: Json } | { readonly text: string }): TaskChange {
  return { kind: 'artifact', artifact: { artifactId: 'result', parts: [part] } };
}

it.each<[string, RoutingLayer, Uuid, readonly TaskChange[], string | null]>([
  ['its data', 'direct-invoke', CALL, [gave({ data: { b: 1, a: 2 } })], hashJson({ a: 2, b: 1 })],
  ['null, which is data', 'direct-invoke', CALL, [gave({ data: null })], hashJson(null)],
  ['the last of it', 'direct-invoke', CALL, [gave({ data: 1 }), gave({ data: 2 })], hashJson(2)],
  ['nothing without data', 'direct-invoke', CALL, [gave({ text: 'x' })], null],
  ['nothing of a turn without a result', 'direct-invoke', CALL, [], null],
  ['nothing of another call', 'direct-invoke', OTHER, [gave({ data: 1 })], null],
  ['nothing of a routed one', 'only-capability', CALL, [gave({ data: 1 })], null],
])('the result of a direct invoke is %s', (_, layer, invocationId, changes, digest) => {
  const first = routed(CALL) as Extract<TaskChange, { kind: 'routed' }>;
  const routing = { ...first.routing, layer };
  const task = newTask({ changes: [{ ...first, routing }, ...changes, COMPLETED] });
  const events = submitTask(ID, task, () => 'an-id').map((event, revision) => ({
    ...event,
    recordedAt: timestampOf(revision),
    revision,
  }));
  expect(resultDigestOfTurn(events, invocationId)).toBe(digest);
});
