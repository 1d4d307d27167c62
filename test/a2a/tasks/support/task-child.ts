/**
 * A node that runs turns until it is killed. It says of each task what has become durable:
 * `begun <id> <invocation>`, then `step <id> <revision>` for each further append, then `done <id>`.
 * Then, a little later, it ends the invocation.
 */
import { randomUUID } from 'node:crypto';
import { writeSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import type { Uuid } from '../../../../src/kernel/ids.js';
import { CapabilityNode } from '../../../capabilities/support/capability-node.js';
import { admission, ORIGIN } from '../../../invocations/support/admissions.js';
import { artifact, COMPLETED, newTask, routed, WORKING } from './fixtures.js';
import { openTaskNode } from './task-node.js';

const [folder = '', storePath = '', readModelPath = '', name = '', deadlineMs = '0'] =
  process.argv.slice(2);
const node = await openTaskNode(storePath, readModelPath, name);
const { ledger } = await openLedger();
node.start(ledger);

async function openLedger(): Promise<CapabilityNode> {
  const opened = await CapabilityNode.open({ folder });
  opened.now = Date.now();
  return opened;
}

function say(line: string): void {
  writeSync(1, `${line}\n`);
}

async function runTurn(): Promise<void> {
  const [id, invocationId] = [randomUUID() as Uuid, randomUUID() as Uuid];
  const deadline = Date.now() + Number(deadlineMs);
  await node.tasks.submit(id, newTask({ changes: [routed(invocationId, deadline)] }));
  say(`begun ${id} ${invocationId}`);
  const admitted = await ledger.admit(admission({ invocationId, taskId: id, deadline }), ORIGIN);
  if (!admitted.ok) throw new Error(admitted.error.code);
  for (const changes of [[WORKING], [artifact('a', 'x'), artifact('b', 'y')], [COMPLETED]]) {
    const recorded = await node.tasks.record(id, invocationId, changes);
    if (!recorded.ok) throw new Error(recorded.error.kind);
    say(`step ${id} ${String(recorded.value.revision)}`);
    if (changes.includes(COMPLETED)) say(`done ${id}`);
    // A kill comes in the middle of turns, not after them.
    await pause(5 + Math.random() * 20);
  }
  await ledger.end(invocationId, 'succeeded', ORIGIN);
}

for (;;) await Promise.all(Array.from({ length: 8 }, runTurn));
