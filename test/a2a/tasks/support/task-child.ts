/**
 * A node that runs turns until it is killed. It says of each task what has become durable:
 * `begun <id>`, then `step <id> <revision>` for each further append, then `done <id>`.
 */
import { randomUUID } from 'node:crypto';
import { writeSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import type { Uuid } from '../../../../src/kernel/ids.js';
import { artifact, COMPLETED, newTask, routed, WORKING } from './fixtures.js';
import { openTaskNode } from './task-node.js';

const [storePath = '', readModelPath = '', name = '', deadlineMs = '0'] = process.argv.slice(2);
const node = await openTaskNode(storePath, readModelPath, name);
node.start(() => Promise.resolve());

function say(line: string): void {
  writeSync(1, `${line}\n`);
}

async function runTurn(): Promise<void> {
  const [id, invocationId] = [randomUUID() as Uuid, randomUUID() as Uuid];
  const deadline = Date.now() + Number(deadlineMs);
  await node.tasks.submit(id, newTask({ changes: [routed(invocationId, deadline)] }));
  say(`begun ${id}`);
  for (const changes of [[WORKING], [artifact('a', 'x'), artifact('b', 'y')], [COMPLETED]]) {
    const recorded = await node.tasks.record(id, invocationId, changes);
    // A kill comes in the middle of turns, not after them.
    await pause(5 + Math.random() * 20);
    if (!recorded.ok) throw new Error(recorded.error.kind);
    say(`step ${id} ${String(recorded.value.revision)}`);
  }
  say(`done ${id}`);
}

for (;;) await Promise.all(Array.from({ length: 8 }, runTurn));
