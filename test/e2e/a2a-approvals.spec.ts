import { rm } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { isObject, type Json, type JsonObject } from '../../src/kernel/json.js';
import { jsonRpc } from '../a2a/transports/support/bindings.js';
import { PROCESS_TEST_TIMEOUT } from '../contracts/support/effort.js';
import { eventually } from '../support/eventually.js';
import { spawnTestService, type SpawnedService } from '../support/service.js';
import { deployment, HOST_TENANT, scripted } from './support/deployment.js';
import { contractOf, documentOf, Negotiator } from './support/negotiator.js';
import { recordedIn } from './support/recorded.js';
import { playing } from './support/script.js';

const AGENT = 'finance';
const ENDS: readonly unknown[] = ['TASK_STATE_COMPLETED', 'TASK_STATE_FAILED'];
/** One second for the handler, then what a node that runs it gets to end it, and a look at the view. */
const GIVEN_UP_WITHIN_MS = 40_000;

let service: SpawnedService;
let folder: string;
let caller: string;
let approver: string;

beforeAll(async () => {
  const limits = { max_execution_seconds: 1 };
  const manifest = scripted('play', { requires_contract: true, action: 'play', limits });
  const deployed = await deployment({ [AGENT]: [manifest] });
  ({ folder } = deployed);
  service = await spawnTestService(deployed);
  const partner = await Negotiator.register(service, 'partner');
  const finance = await Negotiator.register(service, AGENT, { tenant: HOST_TENANT });
  const terms = {
    allowedActions: ['play'],
    prohibitedActions: [],
    humanApprovalRequirements: ['play'],
  };
  const proposed = await partner.propose(contractOf([partner, finance], terms), finance);
  documentOf(await finance.accept(documentOf(proposed)));
  const { tenant, owner } = partner;
  caller = await service.token({ tenant, principal: owner, agent: 'partner', scopes: [] });
  const scopes = ['approvals:decide'];
  approver = await service.token({ tenant: HOST_TENANT, principal: 'boss', scopes });
}, PROCESS_TEST_TIMEOUT);

afterAll(async () => {
  await service.dispose();
  await rm(folder, { recursive: true, force: true });
});

async function call(operation: 'SendMessage' | 'GetTask', params: JsonObject): Promise<JsonObject> {
  const url = `${service.url}/a2a/${AGENT}`;
  const { result, text } = await jsonRpc.call(url, operation, params, { token: caller });
  if (result === undefined) throw new Error(text);
  return result;
}

function member(value: Json | undefined, name: string): JsonObject {
  const found = isObject(value) ? value[name] : undefined;
  if (!isObject(found)) throw new Error(`no ${name}: ${JSON.stringify(value)}`);
  return found;
}

/** A task that waits, with the path of its approval. */
async function held(): Promise<{ readonly id: string; readonly path: string }> {
  const task = member(await call('SendMessage', playing([{ say: 'done' }, 'completed'])), 'task');
  expect(task['status']).toMatchObject({ state: 'TASK_STATE_AUTH_REQUIRED' });
  const [trust] = Object.values(member(task, 'metadata'));
  const { invocationId } = member(trust, 'approval');
  return { id: String(task['id']), path: `/v1/approvals/${String(invocationId)}` };
}

function invocationIn(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

async function decide(path: string, decision: 'approve' | 'deny'): Promise<void> {
  const { body: shown } = await service.call('GET', path, { token: approver });
  const { termsHash, argumentsDigest } = shown;
  const body = { decision, termsHash, argumentsDigest };
  const decided = await service.call('POST', `${path}/decision`, { token: approver, body });
  if (decided.status !== 200) throw new Error(decided.text);
}

async function becomes(id: string, state: string): Promise<void> {
  await eventually(async () => {
    await pause(100);
    return member(await call('GetTask', { id }), 'status')['state'] === state;
  }, 20_000);
}

describe('a call that waits for a human', () => {
  it('is shown to the approver with what it was sent with, and runs when it is approved', async () => {
    const { id, path } = await held();
    const shown = await service.call('GET', path, { token: approver });
    expect(shown.text).toContain('"say":"done"');
    await decide(path, 'approve');
    await becomes(id, 'TASK_STATE_COMPLETED');
  });

  it('is rejected when it is denied', async () => {
    const { id, path } = await held();
    await decide(path, 'deny');
    await becomes(id, 'TASK_STATE_REJECTED');
  });

  it('needs no approval any more when it is canceled', async () => {
    const { id, path } = await held();
    const url = `${service.url}/a2a/${AGENT}`;
    await jsonRpc.call(url, 'CancelTask', { id }, { token: caller });
    await eventually(async () => {
      const { body } = await service.call('GET', path, { token: approver });
      return body['state'] === 'void';
    });
  });

  it(
    'survives kill -9, before and after the decision, and never runs twice',
    async () => {
      const waiting = [await held(), await held(), await held()];
      await service.kill();
      await service.start();
      for (const { id } of waiting) await becomes(id, 'TASK_STATE_AUTH_REQUIRED');
      // Killed in the middle of whatever the decisions have set off.
      await Promise.all(waiting.map(async ({ path }) => decide(path, 'approve')));
      await service.kill();
      await service.start();
      const states = async (): Promise<readonly unknown[]> =>
        Promise.all(
          waiting.map(async ({ id }) => member(await call('GetTask', { id }), 'status')['state']),
        );
      // One that was admitted may have run: it is given up, and not made again.
      await eventually(async () => {
        await pause(200);
        return (await states()).every((state) => ENDS.includes(state));
      }, GIVEN_UP_WITHIN_MS);
      const ids = new Set(waiting.map(({ path }) => invocationIn(path)));
      const events = (await recordedIn(folder, 'events.db')).filter(({ stream }) =>
        ids.has(stream.slice('invocation-'.length)),
      );
      // A node that was slow to come back found some of them released, past their deadline and not
      // admitted: given up, and never run. Nothing was admitted twice.
      const admitted = events
        .filter(({ type }) => type === 'invocation-admitted')
        .map(({ stream }) => stream.slice('invocation-'.length));
      expect(new Set(admitted).size).toBe(admitted.length);
      for (const { id, path } of waiting) {
        if (admitted.includes(invocationIn(path))) continue;
        expect(member(await call('GetTask', { id }), 'status')['state']).toBe('TASK_STATE_FAILED');
      }
      await eventually(async () => {
        await pause(500);
        const all = await recordedIn(folder, 'events.db');
        const ended = all.filter(
          ({ type, data }) => type === 'invocation-ended' && ids.has(String(data['invocationId'])),
        );
        return ended.length === waiting.length;
      }, GIVEN_UP_WITHIN_MS);
    },
    PROCESS_TEST_TIMEOUT,
  );
});
