import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { CapabilityNode } from '../capabilities/support/capability-node.js';
import { invocationStream } from '../../src/invocations/domain/stream.js';
import type { OverdueInvocation } from '../../src/invocations/commands/invocation-ledger.js';
import type { Uuid } from '../../src/kernel/ids.js';
import { timestampOf } from '../../src/kernel/timestamp.js';
import { admission, ORIGIN } from './support/admissions.js';

let node: CapabilityNode;

beforeEach(async () => {
  node = await CapabilityNode.open();
});

afterEach(async () => {
  await node.dispose();
});

const codeOf = async (admitted: ReturnType<typeof node.ledger.admit>): Promise<string> => {
  const result = await admitted;
  return result.ok ? 'ok' : result.error.code;
};
const typesIn = async (invocationId: Uuid): Promise<readonly string[]> =>
  (await node.store.readStream(invocationStream(invocationId))).map(({ type }) => type);
const overdue = async (limit = 10): Promise<readonly Uuid[]> => {
  await node.caughtUp();
  const found = await node.ledger.overdue(node.now, limit);
  return found.map(({ invocationId }) => invocationId);
};

describe('an admission', () => {
  it('is recorded whole, with who called and what it rests on, before it resolves', async () => {
    const call = admission();
    expect(await codeOf(node.ledger.admit(call, ORIGIN))).toBe('ok');
    const [event] = await node.store.readStream(invocationStream(call.invocationId));
    const { caller, deadline, basedOn, ...rest } = call;
    expect(event).toMatchObject({
      type: 'invocation-admitted',
      sealed: null,
      metadata: {
        actor: { principal: caller!.principal, agent: caller!.agent, tenant: caller!.tenant },
        correlationId: ORIGIN.correlationId,
        basedOn,
      },
    });
    // Nothing else: no scopes, no bodies.
    expect(event!.data).toEqual({
      ...rest,
      caller: {
        principal: caller!.principal,
        client: null,
        agent: caller!.agent,
        tenant: caller!.tenant,
      },
      approval: null,
      deadline: timestampOf(deadline),
    });
  });

  it('may be anonymous', async () => {
    const call = admission({ caller: null });
    expect(await codeOf(node.ledger.admit(call, ORIGIN))).toBe('ok');
    const [event] = await node.store.readStream(invocationStream(call.invocationId));
    expect(event!.data['caller']).toBeNull();
    expect(event!.metadata.actor).toEqual({ principal: 'anonymous', agent: null, tenant: null });
  });

  it('happens once, also when the same node asks again with the same words', async () => {
    const call = admission();
    expect(await codeOf(node.ledger.admit(call, ORIGIN))).toBe('ok');
    expect(await codeOf(node.ledger.admit(call, ORIGIN))).toBe('contention');
    await node.ledger.end(call.invocationId, 'succeeded', ORIGIN);
    expect(await codeOf(node.ledger.admit(call, ORIGIN))).toBe('contention');
    expect(await typesIn(call.invocationId)).toEqual(['invocation-admitted', 'invocation-ended']);
  });

  it('has one winner among two nodes, every time', async () => {
    const second = await CapabilityNode.open({ folder: node.folder });
    for (let round = 0; round < 50; round++) {
      const call = admission();
      const codes = await Promise.all([
        codeOf(node.ledger.admit(call, ORIGIN)),
        codeOf(second.ledger.admit(call, ORIGIN)),
        codeOf(node.ledger.admit(call, ORIGIN)),
      ]);
      expect(codes.sort()).toEqual(['contention', 'contention', 'ok']);
      expect(await typesIn(call.invocationId)).toEqual(['invocation-admitted']);
    }
    await second.close();
  });
});

describe('an outcome', () => {
  it('is the first one', async () => {
    const call = admission();
    await node.ledger.admit(call, ORIGIN);
    await node.ledger.end(call.invocationId, 'canceled', ORIGIN);
    await node.ledger.end(call.invocationId, 'succeeded', ORIGIN);
    await node.ledger.end(call.invocationId, 'canceled', ORIGIN);
    const events = await node.store.readStream(invocationStream(call.invocationId));
    expect(events.slice(1).map(({ data }) => data)).toEqual([
      { invocationId: call.invocationId, outcome: 'canceled', resultDigest: null },
    ]);
  });

  it('is one, whoever comes at once', async () => {
    const second = await CapabilityNode.open({ folder: node.folder });
    for (let round = 0; round < 20; round++) {
      const call = admission();
      await node.ledger.admit(call, ORIGIN);
      await Promise.all([
        node.ledger.end(call.invocationId, 'succeeded', ORIGIN),
        second.ledger.end(call.invocationId, 'canceled', ORIGIN),
      ]);
      expect(await typesIn(call.invocationId)).toHaveLength(2);
    }
    await second.close();
  });

  it('is unknown at any time for whoever ran the call', async () => {
    const call = admission({ deadline: node.now + 1000 });
    await node.ledger.admit(call, ORIGIN);
    await node.ledger.end(call.invocationId, 'outcome-unknown', ORIGIN);
    expect(await typesIn(call.invocationId)).toEqual(['invocation-admitted', 'invocation-ended']);
  });

  it('is given up only after the deadline', async () => {
    const call = admission({ deadline: node.now + 1000 });
    await node.ledger.admit(call, ORIGIN);
    node.now += 1000;
    await node.ledger.giveUp(call.invocationId, ORIGIN);
    expect(await typesIn(call.invocationId)).toEqual(['invocation-admitted']);
    node.now += 1;
    await node.ledger.giveUp(call.invocationId, ORIGIN);
    expect(await typesIn(call.invocationId)).toEqual(['invocation-admitted', 'invocation-ended']);
  });

  it('of what was never admitted is a bug', async () => {
    const never = admission().invocationId;
    for (const outcome of ['failed', 'outcome-unknown'] as const) {
      await expect(node.ledger.end(never, outcome, ORIGIN)).rejects.toThrow('invocation-not-found');
    }
  });

  it('is nothing to record when the process died before it admitted the call', async () => {
    const never = admission().invocationId;
    await node.ledger.giveUp(never, ORIGIN);
    expect(await typesIn(never)).toEqual([]);
  });
});

describe('overdue invocations', () => {
  it('are those past their deadline without an outcome, oldest first, so many at most', async () => {
    const [late, later, open, ended] = [3000, 2000, 60_000, 1000].map((ms) =>
      admission({ deadline: node.now + ms }),
    );
    for (const call of [late!, later!, open!, ended!]) await node.ledger.admit(call, ORIGIN);
    await node.ledger.end(ended!.invocationId, 'succeeded', ORIGIN);
    expect(await overdue()).toEqual([]);
    node.now += 3000;
    expect(await overdue()).toEqual([later!.invocationId]);
    node.now += 1;
    expect(await overdue()).toEqual([later!.invocationId, late!.invocationId]);
    expect(await overdue(1)).toEqual([later!.invocationId]);
    await node.ledger.giveUp(later!.invocationId, ORIGIN);
    expect(await overdue()).toEqual([late!.invocationId]);
  });

  it('come in batches, each after the last of the one before, with their tasks', async () => {
    const calls = Array.from({ length: 5 }, () => admission({ deadline: node.now + 1000 }));
    for (const call of calls) await node.ledger.admit(call, ORIGIN);
    await node.caughtUp();
    node.now += 1001;
    const found: OverdueInvocation[] = [];
    for (const size of [2, 2, 1, 0]) {
      const batch = await node.ledger.overdue(node.now, 2, found.at(-1));
      expect(batch).toHaveLength(size);
      found.push(...batch);
    }
    const expected = calls.map(({ invocationId, taskId, deadline }) => ({
      invocationId,
      taskId,
      deadline: timestampOf(deadline),
    }));
    expect(found).toEqual(expected.toSorted((a, b) => (a.invocationId < b.invocationId ? -1 : 1)));
  });
});
