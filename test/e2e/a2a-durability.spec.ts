import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { JsonObject } from '../../src/kernel/json.js';
import { jsonRpc, taskIdOf, type Reply } from '../a2a/transports/support/bindings.js';
import { PROCESS_TEST_TIMEOUT } from '../contracts/support/effort.js';
import { eventually } from '../support/eventually.js';
import { spawnTestService, type SpawnedService } from '../support/service.js';
import { deployment, scripted } from './support/deployment.js';
import { journalOf, recordedIn } from './support/recorded.js';
import { playing } from './support/script.js';

const AGENT = 'brief';
/** One second for the handler, then what a node that runs it gets to end it, and a look for lost turns. */
const GIVEN_UP_WITHIN_MS = 40_000;

describe('a task whose process is killed in the middle of its handler', () => {
  let service: SpawnedService;
  let folder: string;
  let journal: string;
  let token: string;
  let request: JsonObject;
  let id: string;

  const ask = (operation: 'GetTask' | 'SendMessage', params: JsonObject): Promise<Reply> =>
    jsonRpc.call(`${service.url}/a2a/${AGENT}`, operation, params, { token });

  beforeAll(async () => {
    const manifest = scripted('play', { limits: { max_execution_seconds: 1 } });
    const deployed = await deployment({ [AGENT]: [manifest] });
    ({ folder } = deployed);
    journal = join(folder, 'journal');
    service = await spawnTestService(deployed);
    token = await service.token({ principal: 'alice', scopes: [] });
    request = playing(['working', { say: 'half' }, { wait: 60_000 }], { journal });
    request = { ...request, configuration: { returnImmediately: true } };
    id = taskIdOf(await ask('SendMessage', request));
    await eventually(
      async () => (await ask('GetTask', { id })).result?.['artifacts'] !== undefined,
    );
    await service.kill();
    await service.start();
  }, PROCESS_TEST_TIMEOUT);

  afterAll(async () => {
    await service.dispose();
    await rm(folder, { recursive: true, force: true });
  });

  it('is there for its owner, as far as it had come, and for nobody else', async () => {
    const { result } = await ask('GetTask', { id });
    expect(result).toMatchObject({
      id,
      status: { state: 'TASK_STATE_WORKING' },
      artifacts: [{ artifactId: 'half', parts: [{ text: 'half' }] }],
      history: [request['message']],
    });
    const others = { token: await service.token({ principal: 'bob', scopes: [] }) };
    const foreign = await jsonRpc.call(`${service.url}/a2a/${AGENT}`, 'GetTask', { id }, others);
    expect(foreign.error?.reason).toBe('TASK_NOT_FOUND');
  });

  it('is not run again by the same message, before its end or after', async () => {
    expect(taskIdOf(await ask('SendMessage', request))).toBe(id);
    expect(journalOf(journal)).toHaveLength(1);
  });

  it(
    'fails after its deadline, and its outcome is unknown, once',
    async () => {
      const state = async () => {
        const { result } = await ask('GetTask', { id });
        return (result?.['status'] as JsonObject | undefined)?.['state'];
      };
      await eventually(async () => (await state()) !== 'TASK_STATE_WORKING', GIVEN_UP_WITHIN_MS);
      expect(await state()).toBe('TASK_STATE_FAILED');
      const again = await ask('SendMessage', request);
      expect(again.result).toMatchObject({ task: { id, status: { state: 'TASK_STATE_FAILED' } } });
      // One more start, that looks for lost turns again.
      await service.kill();
      await service.start();
      expect(await state()).toBe('TASK_STATE_FAILED');
      await service.stop();

      const events = await recordedIn(folder, 'events.db');
      const ofInvocations = events.filter(({ stream }) => stream.startsWith('invocation-'));
      expect(ofInvocations.map(({ type }) => type)).toEqual([
        'invocation-admitted',
        'invocation-ended',
      ]);
      expect(ofInvocations[1]?.data).toMatchObject({ outcome: 'outcome-unknown' });
      const tasks = await recordedIn(folder, 'tasks.db');
      const ends = tasks.filter(({ data }) => data['state'] === 'TASK_STATE_FAILED');
      expect(ends).toHaveLength(1);
      expect(journalOf(journal)).toHaveLength(1);
    },
    PROCESS_TEST_TIMEOUT,
  );
});

/** A stop that waits for nobody takes about a second; the process would end itself after ten. */
const STOPS_WITHIN_MS = 8_000;

it(
  'a task whose node is stopped fails at once, whoever is connected, and is not run again',
  async () => {
    const deployed = await deployment({ [AGENT]: [scripted('play')] });
    const { folder } = deployed;
    const journal = join(folder, 'journal');
    const service = await spawnTestService(deployed);
    try {
      const token = await service.token({ principal: 'alice', scopes: [] });
      const agentUrl = () => `${service.url}/a2a/${AGENT}`;
      const params = playing(['working', { wait: 60_000 }], { journal });
      const stream = jsonRpc.call(agentUrl(), 'SendStreamingMessage', params, { token });
      await eventually(() => journalOf(journal).length === 1);
      const { hostname, port } = new URL(service.url);
      const silent = connect(Number(port), hostname).on('error', () => undefined);
      await once(silent, 'connect');

      const began = performance.now();
      await service.stop();
      expect([service.exitCode, service.errors]).toEqual([0, expect.not.stringContaining('fault')]);
      expect(performance.now() - began).toBeLessThan(STOPS_WITHIN_MS);
      expect(journalOf(journal)[1]).toMatch(/^stopped /);
      const { events = [] } = await stream;
      expect(events[0]?.response).toHaveProperty('task');
      silent.destroy();

      await service.start();
      const again = await jsonRpc.call(agentUrl(), 'SendMessage', params, { token });
      expect(again.result).toMatchObject({ task: { status: { state: 'TASK_STATE_FAILED' } } });
      expect(journalOf(journal)).toHaveLength(2);
      const outcomes = (await recordedIn(folder, 'events.db')).filter(
        ({ type }) => type === 'invocation-ended',
      );
      expect(outcomes.map(({ data }) => data['outcome'])).toEqual(['interrupted']);
    } finally {
      await service.dispose();
    }
  },
  PROCESS_TEST_TIMEOUT,
);
