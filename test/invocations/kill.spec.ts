import { rm } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { jsonRpc } from '../a2a/transports/support/bindings.js';
import { PROCESS_TEST_TIMEOUT } from '../contracts/support/effort.js';
import { deployment, scripted } from '../e2e/support/deployment.js';
import { recordedIn, type Recorded } from '../e2e/support/recorded.js';
import { playing } from '../e2e/support/script.js';
import { eventually } from '../support/eventually.js';
import { spawnTestService, type SpawnedService } from '../support/service.js';

const AGENT = 'brief';
const CALLS = 60;
/** One second for the handler, then what a node that runs it gets to end it, and a look at the view. */
const GIVEN_UP_WITHIN_MS = 40_000;

let service: SpawnedService;
let folder: string;
let token: string;

beforeAll(async () => {
  const manifest = scripted('play', { limits: { max_execution_seconds: 1 } });
  const deployed = await deployment({ [AGENT]: [manifest] });
  ({ folder } = deployed);
  service = await spawnTestService(deployed);
  token = await service.token({ principal: 'alice', scopes: [] });
}, PROCESS_TEST_TIMEOUT);

afterAll(async () => {
  await service.dispose();
  await rm(folder, { recursive: true, force: true });
});

/** Asks for many tasks at once, and kills the service as soon as it tells of an end. */
async function killAtTheFirstEnd(): Promise<void> {
  const url = `${service.url}/a2a/${AGENT}`;
  const calls = Array.from({ length: CALLS }, async () =>
    jsonRpc.call(url, 'SendMessage', playing([{ say: 'x' }, 'completed']), { token }),
  );
  await Promise.any(calls);
  await service.kill();
  await Promise.allSettled(calls);
}

async function invocations(): Promise<readonly Recorded[]> {
  const events = await recordedIn(folder, 'events.db');
  return events.filter(({ stream }) => stream.startsWith('invocation-'));
}

/** Calls without an outcome. */
async function open(): Promise<readonly Recorded[]> {
  const events = await invocations();
  const ended = events.filter(({ type }) => type === 'invocation-ended');
  const streams = new Set(ended.map(({ stream }) => stream));
  return events.filter(({ stream }) => !streams.has(stream));
}

it(
  'no invocation stays open after kill -9, whatever had become of its task',
  async () => {
    let left: readonly Recorded[] = [];
    const completed = new Set<unknown>();
    for (let kills = 0; kills < 5 && !left.some(({ data }) => completed.has(data['taskId']));) {
      if (kills++ > 0) await service.start();
      await killAtTheFirstEnd();
      left = await open();
      for (const { stream, data } of await recordedIn(folder, 'tasks.db')) {
        if (data['state'] === 'TASK_STATE_COMPLETED') completed.add(stream.slice('task-'.length));
      }
    }
    const closing = left.filter(({ data }) => completed.has(data['taskId']));
    expect(closing.length).toBeGreaterThan(0);

    await service.start();
    await eventually(async () => {
      await pause(500);
      return (await open()).length === 0;
    }, GIVEN_UP_WITHIN_MS);
    await service.stop();
    const events = await invocations();
    const ended = events.filter(({ type }) => type === 'invocation-ended');
    expect(new Set(ended.map(({ stream }) => stream)).size).toBe(ended.length);
    for (const { stream } of closing) {
      const end = ended.find((each) => each.stream === stream);
      expect(end?.data['outcome']).toBe('succeeded');
    }
  },
  2 * PROCESS_TEST_TIMEOUT,
);
