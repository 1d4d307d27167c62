import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { JsonObject } from '../../src/kernel/json.js';
import {
  BINDINGS,
  taskIdOf,
  type Ask,
  type Binding,
  type Reply,
} from '../a2a/transports/support/bindings.js';
import { effort } from '../contracts/support/effort.js';
import { eventually } from '../support/eventually.js';
import { startTestService, type InProcessService } from '../support/service.js';
import { deployment, scripted } from './support/deployment.js';
import { recordedIn } from './support/recorded.js';
import { playing, type Step } from './support/script.js';

let service: InProcessService;
let ask: Ask;
let agentUrl: string;

beforeAll(async () => {
  service = await startTestService(await deployment({ racer: [scripted('play')] }));
  ask = { token: await service.token({ principal: 'alice', scopes: [] }) };
  agentUrl = `${service.url}/a2a/racer`;
});

afterAll(async () => {
  await service.dispose();
});

const AT_ONCE = { configuration: { returnImmediately: true } };

async function begin(binding: Binding, steps: readonly Step[]): Promise<string> {
  const params = { ...playing(steps), ...AT_ONCE };
  return taskIdOf(await binding.call(agentUrl, 'SendMessage', params, ask));
}

function stateOf(result: JsonObject | undefined): unknown {
  const task = (result?.['task'] ?? result) as JsonObject | undefined;
  return (task?.['status'] as JsonObject | undefined)?.['state'];
}

describe.each(BINDINGS)('over $name', (binding) => {
  const get = async (id: string): Promise<Reply> => binding.call(agentUrl, 'GetTask', { id }, ask);
  const cancel = (id: string): Promise<Reply> => binding.call(agentUrl, 'CancelTask', { id }, ask);

  it('completion and cancel have one winner, which stays, and everybody hears of that one', async () => {
    const outcomes = new Map<unknown, number>();
    const race = async (index: number, longest: number): Promise<void> => {
      // Closer and closer to each other, and past.
      const wait = Math.ceil(((1 + (index % 12)) * longest) / 12);
      const id = await begin(binding, ['working', { wait }, 'completed']);
      const stream = binding.call(agentUrl, 'SubscribeToTask', { id }, ask);
      await new Promise((resolve) => setTimeout(resolve, index % 7));
      const canceled = await Promise.all([cancel(id), cancel(id)]);
      const state = stateOf((await get(id)).result);
      for (const { result, error } of canceled) {
        if (state === 'TASK_STATE_CANCELED') expect(stateOf(result)).toBe(state);
        else
          expect([state, error?.reason]).toEqual(['TASK_STATE_COMPLETED', 'TASK_NOT_CANCELABLE']);
      }
      const { events, error } = await stream;
      // It may have come too late.
      if (events === undefined) expect(error?.reason).toBe('UNSUPPORTED_OPERATION');
      else expect(finalStates(events)).toEqual([state]);
      await new Promise((resolve) => setTimeout(resolve, 20));
      expect(stateOf((await get(id)).result)).toBe(state);
      outcomes.set(state, (outcomes.get(state) ?? 0) + 1);
    };
    const races = effort(60, 1000);
    // How long a cancel takes depends on the machine: as long as none wins, handlers take longer.
    let longest = 12;
    for (let done = 0; done < races || (outcomes.size < 2 && longest < 2000); done += 12) {
      await Promise.all(Array.from({ length: 12 }, (_, index) => race(done + index, longest)));
      if (!outcomes.has('TASK_STATE_CANCELED')) longest *= 2;
    }
    expect([...outcomes.keys()].sort()).toEqual(['TASK_STATE_CANCELED', 'TASK_STATE_COMPLETED']);
  });

  it('many cancels of one task are one', async () => {
    const id = await begin(binding, ['working', { wait: 30_000 }]);
    const canceled = await Promise.all(Array.from({ length: 20 }, () => cancel(id)));
    expect(new Set(canceled.map(({ result }) => JSON.stringify(result))).size).toBe(1);
    expect(stateOf(canceled[0]?.result)).toBe('TASK_STATE_CANCELED');
    const ends = (await recordedIn(service.folder, 'tasks.db')).filter(
      ({ stream, type }) => stream === `task-${id}` && type === 'task-status-changed',
    );
    const states = ends.map(({ data }) => data['state']);
    expect(states.filter((state) => state !== 'TASK_STATE_WORKING')).toEqual([
      'TASK_STATE_CANCELED',
    ]);
  });

  it('of many answers to one question one is heard', async () => {
    const id = await begin(binding, ['input-required']);
    await ended(id);
    const replies = await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        binding.call(
          agentUrl,
          'SendMessage',
          playing([{ wait: 30 }, { say: String(index) }, 'completed'], { taskId: id }),
          ask,
        ),
      ),
    );
    expect(replies.filter(({ result }) => result !== undefined)).toHaveLength(1);
    for (const { error } of replies.filter(({ result }) => result === undefined)) {
      expect(error?.reason).toBe('UNSUPPORTED_OPERATION');
      expect(['turn-under-way', 'task-ended']).toContain(error?.metadata['code']);
    }
    const { result } = await get(id);
    expect(result?.['artifacts']).toHaveLength(1);
    expect(stateOf(result)).toBe('TASK_STATE_COMPLETED');
  });

  it.each([
    ['COMPLETED', 'completed'],
    ['FAILED', 'failed'],
    ['REJECTED', 'rejected'],
    ['CANCELED', null],
  ] as const)('a task that is %s takes no message, and stays as it is', async (name, end) => {
    const steps: readonly Step[] = end === null ? ['working', { wait: 30_000 }] : [end];
    const id = await begin(binding, steps);
    if (end === null) await cancel(id);
    else await ended(id);
    const before = await get(id);
    expect(stateOf(before.result)).toBe(`TASK_STATE_${name}`);
    for (const operation of ['SendMessage', 'SendStreamingMessage'] as const) {
      const further = playing(['completed'], { taskId: id });
      const { error } = await binding.call(agentUrl, operation, further, ask);
      expect(error).toMatchObject({
        reason: 'UNSUPPORTED_OPERATION',
        metadata: { code: 'task-ended' },
      });
    }
    const canceled = await cancel(id);
    if (end === null) expect(canceled.result).toEqual(before.result);
    else expect(canceled.error?.reason).toBe('TASK_NOT_CANCELABLE');
    expect((await get(id)).result).toEqual(before.result);
  });

  async function ended(id: string): Promise<void> {
    const running = ['TASK_STATE_SUBMITTED', 'TASK_STATE_WORKING'];
    await eventually(async () => !running.includes(String(stateOf((await get(id)).result))));
  }
});

it('no invocation that was admitted is left open', async () => {
  let admitted = 0;
  await eventually(async () => {
    const open = new Set<string>();
    admitted = 0;
    for (const { stream, type } of await recordedIn(service.folder, 'events.db')) {
      if (type === 'invocation-admitted') {
        open.add(stream);
        admitted++;
      }
      if (type === 'invocation-ended' && !open.delete(stream)) throw new Error(`twice: ${stream}`);
    }
    return open.size === 0;
  });
  expect(admitted).toBeGreaterThan(0);
});

function finalStates(events: NonNullable<Reply['events']>): readonly unknown[] {
  return events
    .map(({ response }) => stateOf((response['statusUpdate'] ?? response) as JsonObject))
    .filter((state) => /COMPLETED|CANCELED|FAILED|REJECTED/.test(String(state)));
}
