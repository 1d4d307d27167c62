import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { TaskChange, UntoldOutcome } from '../../../src/a2a/tasks/domain/task.js';
import type { InvocationLedger } from '../../../src/invocations/commands/invocation-ledger.js';
import { invocationStream } from '../../../src/invocations/domain/stream.js';
import { hashJson } from '../../../src/kernel/digest.js';
import type { Uuid } from '../../../src/kernel/ids.js';
import { CapabilityNode } from '../../capabilities/support/capability-node.js';
import { admission, ORIGIN } from '../../invocations/support/admissions.js';
import { eventually } from '../../support/eventually.js';
import { ASKED, COMPLETED, message, newTask, routed, status, WORKING } from './support/fixtures.js';
import { TaskDeployment, type TaskNode } from './support/task-node.js';

let deployment: TaskDeployment;
let node: TaskNode;
let records: CapabilityNode;
let deadline: number;

beforeEach(async () => {
  deployment = await TaskDeployment.open();
  records = await CapabilityNode.open({ folder: deployment.folder });
  deadline = records.now + 60_000;
  node = await deployment.node('node-a', { clock: () => records.now });
});

afterEach(async () => {
  await deployment.closeNodes();
  await records.dispose();
});

interface Begun {
  readonly id: Uuid;
  readonly invocationId: Uuid;
}

async function admitted(id: Uuid): Promise<Begun> {
  const call = admission({ taskId: id, deadline });
  expect((await records.ledger.admit(call, ORIGIN)).ok).toBe(true);
  return { id, invocationId: call.invocationId };
}

/** A turn that the ledger knows of, as far as these changes; the process died before it ended it there. */
async function abandoned(...changes: readonly TaskChange[]): Promise<Begun> {
  const begun = await admitted(randomUUID() as Uuid);
  const all = [routed(begun.invocationId, deadline), ...changes];
  await node.tasks.submit(begun.id, newTask({ changes: all }));
  return begun;
}

async function outcomeOf({ invocationId }: Begun): Promise<readonly unknown[]> {
  const events = await records.store.readStream(invocationStream(invocationId));
  return events.slice(1).map(({ data }) => (data as { readonly outcome: string }).outcome);
}

/** Once the deadline has passed, and the grace of whoever runs the turn. */
async function recover(begun: readonly Begun[], on = [node], ledger: Ledger = records.ledger) {
  records.now = deadline + 5_001;
  await records.caughtUp();
  for (const each of on) each.start(ledger);
  await eventually(async () => {
    const outcomes = await Promise.all(begun.map(outcomeOf));
    return outcomes.every(({ length }) => length > 0);
  }, 10_000);
}

type Ledger = Pick<InvocationLedger, 'overdue' | 'end' | 'giveUp'>;

/** The task failed, and that was not all. */
const unheard = (outcome: UntoldOutcome): TaskChange => ({
  kind: 'status',
  state: 'TASK_STATE_FAILED',
  outcome,
});

describe('an invocation past its deadline', () => {
  it.each<[string, readonly TaskChange[], string]>([
    ['completed', [WORKING, COMPLETED], 'succeeded'],
    ['answered', [{ kind: 'answer', parts: [{ text: 'yes' }] }], 'succeeded'],
    ['asked', [ASKED], 'succeeded'],
    ['asked for authentication', [status('TASK_STATE_AUTH_REQUIRED')], 'succeeded'],
    ['failed', [status('TASK_STATE_FAILED')], 'failed'],
    ['failed, nobody knows how', [unheard('outcome-unknown')], 'outcome-unknown'],
    ['failed, since its node stopped', [unheard('interrupted')], 'interrupted'],
    ['rejected', [status('TASK_STATE_REJECTED')], 'rejected'],
    ['canceled', [status('TASK_STATE_CANCELED')], 'canceled'],
    ['at work', [WORKING], 'outcome-unknown'],
  ])('of a turn that was left %s', async (_, changes, outcome) => {
    const begun = await abandoned(...changes);
    await recover([begun]);
    expect(await outcomeOf(begun)).toEqual([outcome]);
  });

  it('of an earlier turn ended as that turn did', async () => {
    const first = await abandoned(ASKED);
    const second = await admitted(first.id);
    const sent = message();
    const continued = await node.tasks.continue(first.id, 2, {
      message: sent,
      digest: hashJson(sent),
      changes: [routed(second.invocationId, deadline), status('TASK_STATE_REJECTED')],
    });
    expect(continued.ok).toBe(true);
    await recover([first, second]);
    expect(await outcomeOf(first)).toEqual(['succeeded']);
    expect(await outcomeOf(second)).toEqual(['rejected']);
  });

  it('of a task that is gone, or that never had it, is unknown', async () => {
    const gone = await admitted(randomUUID() as Uuid);
    const { id } = await abandoned(COMPLETED);
    const foreign = await admitted(id);
    await recover([gone, foreign]);
    expect(await outcomeOf(gone)).toEqual(['outcome-unknown']);
    expect(await outcomeOf(foreign)).toEqual(['outcome-unknown']);
  });

  it('is left alone until then', async () => {
    const early = await abandoned(COMPLETED);
    deadline -= 1;
    const late = await abandoned(COMPLETED);
    await recover([late]);
    expect(await outcomeOf(early)).toEqual([]);
  });

  it('is ended once, however many there are and whichever nodes try at once', async () => {
    const begun = await Promise.all(Array.from({ length: 230 }, () => abandoned(COMPLETED)));
    const other = await deployment.node('node-b', { clock: () => records.now });
    await recover(begun, [node, other]);
    const outcomes = await Promise.all(begun.map(outcomeOf));
    expect(new Set(outcomes.map((each) => each.join()))).toEqual(new Set(['succeeded']));
  });

  it('that cannot be ended is reported, and stands in the way of no other', async () => {
    const begun = await Promise.all(Array.from({ length: 3 }, () => abandoned(COMPLETED)));
    const [stuck, ...rest] = begun as [Begun, ...Begun[]];
    const ledger: Ledger = {
      overdue: async (...parameters) => records.ledger.overdue(...parameters),
      end: async (invocationId, ...parameters) => {
        if (invocationId === stuck.invocationId) throw new Error('the ledger is away');
        await records.ledger.end(invocationId, ...parameters);
      },
      giveUp: async (...parameters) => records.ledger.giveUp(...parameters),
    };
    await recover(rest, [node], ledger);
    await eventually(() =>
      node.reports.includes('an overdue invocation could not be ended Error: the ledger is away'),
    );
    expect(await outcomeOf(stuck)).toEqual([]);
  });
});
