import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { invocationStream } from '../../../src/invocations/domain/stream.js';
import type { Uuid } from '../../../src/kernel/ids.js';
import { CapabilityNode } from '../../capabilities/support/capability-node.js';
import { effort, PROCESS_TEST_TIMEOUT } from '../../contracts/support/effort.js';
import { built } from '../../support/built.js';
import { eventually } from '../../support/eventually.js';
import { ANNA, HOSTED } from './support/fixtures.js';
import { TaskDeployment } from './support/task-node.js';

const CHILD = built(new URL('./support/task-child.ts', import.meta.url));
const DEADLINE_MS = 60_000;

let deployment: TaskDeployment;
let records: CapabilityNode | undefined;

beforeEach(async () => {
  deployment = await TaskDeployment.open();
});

afterEach(async () => {
  await deployment.closeNodes();
  await records?.close();
  await deployment.dispose();
});

async function openRecords(now: number): Promise<CapabilityNode> {
  const opened = await CapabilityNode.open({ folder: deployment.folder });
  opened.now = now;
  await opened.caughtUp();
  records = opened;
  return opened;
}

/**
 * Runs a node and kills it once it has said so many lines, after the end of a turn and before that of
 * its invocation; what it said by then.
 */
async function runAndKill(name: string, lines: number): Promise<readonly string[]> {
  const child = spawn(
    process.execPath,
    [
      CHILD,
      deployment.folder,
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
    if (said.length >= lines && line.startsWith('done ')) child.kill('SIGKILL');
  }
  await exit;
  expect(child.signalCode).toBe('SIGKILL');
  return said;
}

it(
  'a task survives kill -9: what was durable is there, its turn and its invocation are ended once',
  async () => {
    const said: string[] = [];
    for (let kills = 0; kills < effort(3, 20); kills++) {
      said.push(...(await runAndKill('node-a', 25 + 7 * kills)));
    }
    const begun = said
      .filter((line) => line.startsWith('begun '))
      .map((line) => line.split(' ').slice(1) as [id: Uuid, invocationId: Uuid]);
    const done = new Set(said.filter((line) => line.startsWith('done ')).map((l) => l.slice(5)));
    expect(begun.length).toBeGreaterThan(done.size);

    // After the deadline, on another node.
    const late = Date.now() + DEADLINE_MS + 6_000;
    const node = await deployment.node('node-b', { clock: () => late });
    for (const line of said.filter((each) => each.startsWith('step '))) {
      const [, id = '', revision = ''] = line.split(' ');
      const stored = await node.tasks.load(id as Uuid);
      expect(stored?.revision).toBeGreaterThanOrEqual(Number(revision));
    }
    const records = await openRecords(late);
    const endsOf = async (invocationId: Uuid): Promise<readonly (string | undefined)[]> => {
      const events = await records.store.readStream(invocationStream(invocationId));
      return events.map(({ data }) => (data as { readonly outcome?: string }).outcome);
    };
    const left = await Promise.all(begun.map(async ([, each]) => endsOf(each)));
    const isOpen = (ends: readonly unknown[]) => ends.length === 1;
    const openAtFirst = begun.filter(([id], index) => done.has(id) && isOpen(left[index] ?? []));
    expect(openAtFirst.length).toBeGreaterThan(0);
    node.start(records.ledger);
    const isEnded = async ([id, invocationId]: readonly [Uuid, Uuid]) => {
      const found = await node.tasks.find(ANNA, HOSTED, id);
      const { state = '' } = found.ok ? found.value.task.status : {};
      return /COMPLETED|FAILED/.test(state) && !isOpen(await endsOf(invocationId));
    };
    await eventually(async () => (await Promise.all(begun.map(isEnded))).every(Boolean), 20_000);
    let lost = 0;
    for (const [id, invocationId] of begun) {
      const { task } = (await node.tasks.load(id)) ?? {};
      const hasFailed = task?.status.state === 'TASK_STATE_FAILED';
      if (hasFailed) lost += 1;
      if (done.has(id)) expect(hasFailed).toBe(false);
      const ends = await endsOf(invocationId);
      // The process may have died before it admitted the call.
      const outcome = hasFailed ? 'outcome-unknown' : 'succeeded';
      if (!hasFailed || ends.length > 0) expect(ends).toEqual([undefined, outcome]);
      // Two artifacts of one append: both or none.
      expect([0, 2]).toContain(task?.artifacts?.length ?? 0);
    }
    expect(lost).toBeGreaterThan(0);
    await records.caughtUp();
    expect(await records.ledger.overdue(late, 10)).toEqual([]);
  },
  PROCESS_TEST_TIMEOUT,
);
