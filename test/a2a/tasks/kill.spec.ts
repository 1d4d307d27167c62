import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import type { Uuid } from '../../../src/kernel/ids.js';
import { effort, PROCESS_TEST_TIMEOUT } from '../../contracts/support/effort.js';
import { eventually } from '../../support/eventually.js';
import { ANNA, HOSTED } from './support/fixtures.js';
import { TaskDeployment } from './support/task-node.js';

const LOADER = new URL('../../support/typescript/register.mjs', import.meta.url);
const CHILD = fileURLToPath(new URL('./support/task-child.ts', import.meta.url));
const DEADLINE_MS = 60_000;

let deployment: TaskDeployment;

beforeEach(async () => {
  deployment = await TaskDeployment.open();
});

afterEach(async () => {
  await deployment.dispose();
});

/** Runs a node and kills it once it has said so many lines; what it said by then. */
async function runAndKill(name: string, lines: number): Promise<readonly string[]> {
  const child = spawn(
    process.execPath,
    [
      '--import',
      LOADER.href,
      CHILD,
      deployment.storePath,
      deployment.readModelPath(name),
      name,
      String(DEADLINE_MS),
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const exit = once(child, 'exit');
  const said: string[] = [];
  for await (const line of createInterface(child.stdout)) {
    said.push(line);
    if (said.length === lines) child.kill('SIGKILL');
  }
  await exit;
  expect(child.signalCode).toBe('SIGKILL');
  return said;
}

it(
  'a task survives kill -9: what was said to be durable is there, and the turn is ended once',
  async () => {
    const said: string[] = [];
    for (let kills = 0; kills < effort(3, 20); kills++) {
      said.push(...(await runAndKill('node-a', 25 + 7 * kills)));
    }
    const begun = said.filter((line) => line.startsWith('begun ')).map((line) => line.slice(6));
    const done = new Set(said.filter((line) => line.startsWith('done ')).map((l) => l.slice(5)));
    expect(begun.length).toBeGreaterThan(done.size);

    // After the deadline, on another node.
    const node = await deployment.node('node-b', {
      clock: () => Date.now() + DEADLINE_MS + 6_000,
    });
    for (const line of said.filter((each) => each.startsWith('step '))) {
      const [, id = '', revision = ''] = line.split(' ');
      const stored = await node.tasks.load(id as Uuid);
      expect(stored?.revision).toBeGreaterThanOrEqual(Number(revision));
    }
    const lost = new Set<string>();
    node.start(async ({ task }) => {
      lost.add(task.id);
      return Promise.resolve();
    });
    const isEnded = async (id: string) => {
      const found = await node.tasks.find(ANNA, HOSTED, id);
      return found.ok && /COMPLETED|FAILED/.test(found.value.task.status.state);
    };
    await eventually(async () => (await Promise.all(begun.map(isEnded))).every(Boolean), 20_000);
    for (const id of begun) {
      const { task } = (await node.tasks.load(id as Uuid)) ?? {};
      const state = lost.has(id) ? 'TASK_STATE_FAILED' : 'TASK_STATE_COMPLETED';
      expect([id, task?.status.state]).toEqual([id, state]);
      if (done.has(id)) expect(lost).not.toContain(id);
      // Two artifacts of one append: both or none.
      expect([0, 2]).toContain(task?.artifacts?.length ?? 0);
    }
    expect(lost.size).toBeGreaterThan(0);
  },
  PROCESS_TEST_TIMEOUT,
);
