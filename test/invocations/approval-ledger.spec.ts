import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { START, type RecordedEnvelope } from '../../src/event-store/port.js';
import { ApprovalPlaces } from '../../src/invocations/approval-places.js';
import type { ApprovalPlace, PlacedCall } from '../../src/invocations/commands/approval-ledger.js';
import type {
  ApprovalRequest,
  SettledApproval,
} from '../../src/invocations/commands/invocation-ledger.js';
import type { ApprovalDecision } from '../../src/invocations/domain/approval.js';
import { invocationStream } from '../../src/invocations/domain/stream.js';
import type { AgentId, Uuid } from '../../src/kernel/ids.js';
import type { Rejection } from '../../src/kernel/rejection.js';
import { ok, type Result } from '../../src/kernel/result.js';
import { timestampOf } from '../../src/kernel/timestamp.js';
import { partner } from '../capabilities/support/capabilities.js';
import { CapabilityNode } from '../capabilities/support/capability-node.js';
import {
  admission,
  admissionOf,
  approvalRequest,
  ORIGIN,
  refusedCall,
} from './support/admissions.js';
import { APPROVER, DECIDING } from './support/given-when-then.js';

let node: CapabilityNode;

beforeEach(async () => {
  node = await CapabilityNode.open();
});

afterEach(async () => {
  await node.dispose();
});

const codeOf = async (done: Promise<Result<unknown, Rejection>>): Promise<string> => {
  const result = await done;
  return result.ok ? 'ok' : result.error.code;
};
const typesIn = async (invocationId: Uuid): Promise<readonly string[]> =>
  (await node.store.readStream(invocationStream(invocationId))).map(({ type }) => type);

async function requested(changes: Partial<ApprovalRequest> = {}): Promise<ApprovalRequest> {
  const request = approvalRequest({ expiresAt: node.now + 60_000, ...changes });
  expect(await codeOf(node.approvals.request(request, ORIGIN))).toBe('ok');
  return request;
}

/** Places between two agents. */
const MOST = 5;

function callOf({ invocationId, caller, agentId }: ApprovalRequest): PlacedCall {
  return { invocationId, calling: caller.agent!, hosted: agentId };
}

/** Of so many that may wait: takes each, and gives it back. */
async function placesLeft(calling: AgentId, hosted: AgentId): Promise<number> {
  const taken: ApprovalPlace[] = [];
  for (;;) {
    const call = { invocationId: randomUUID() as Uuid, calling, hosted };
    const place = await node.approvals.takePlace(call, MOST, node.now);
    if (place === undefined) break;
    taken.push(place);
  }
  for (const place of taken) place.release();
  return taken.length;
}

async function decide(
  { invocationId, terms, argumentsDigest }: ApprovalRequest,
  decision: ApprovalDecision,
): Promise<string> {
  const identity = { commandId: `${invocationId}/${decision}`, requestDigest: '' };
  const actor = { principal: APPROVER.principal, agent: null, tenant: APPROVER.tenant };
  return codeOf(
    node.invocations.store(
      invocationStream(invocationId),
      {
        kind: 'decide',
        invocationId,
        decision,
        by: APPROVER,
        termsHash: terms.termsHash,
        argumentsDigest,
        reason: null,
      },
      { ...identity, ...ORIGIN, actor, causationId: null },
      async (_, now) => ok({ context: { now: now(), deciding: DECIDING }, basedOn: {} }),
    ),
  );
}

describe('a request', () => {
  it('is recorded whole, its entries sealed, before it resolves', async () => {
    const entries = ['Ask Ms Miller before any payment.'];
    const request = await requested({ entries });
    const [event] = await node.store.readStream(invocationStream(request.invocationId));
    const { caller, expiresAt, basedOn, entries: _entries, ...rest } = request;
    const { principal, client, agent, tenant } = caller;
    expect(event).toMatchObject({
      type: 'approval-requested',
      metadata: { actor: { principal, agent, tenant }, basedOn },
    });
    expect(event!.data).toEqual({
      ...rest,
      caller: { principal, client, agent, tenant },
      expiresAt: timestampOf(expiresAt),
    });
    expect(JSON.stringify(event)).not.toContain('Miller');
    expect((await node.approvals.find(request.invocationId))?.approval?.entries).toEqual(entries);
  });

  it('is made once, and not of what was admitted', async () => {
    const request = await requested();
    expect(await codeOf(node.approvals.request(request, ORIGIN))).toBe('contention');
    const admitted = approvalRequest();
    await node.ledger.admit(admissionOf(admitted), ORIGIN);
    expect(await codeOf(node.approvals.request(admitted, ORIGIN))).toBe('contention');
  });
});

describe('what waits for a decision', () => {
  it('takes a place among those of its two agents, at once, and until it comes out', async () => {
    const { caller, agentId } = approvalRequest();
    const other = { ...caller, agent: 'other-agent' as AgentId };
    const first = await requested();
    await requested({ expiresAt: node.now + 1000 });
    await requested({ caller: other });
    await requested({ agentId: 'second-agent' as AgentId });
    expect(await placesLeft(caller.agent!, agentId)).toBe(MOST - 2);
    expect(await placesLeft(other.agent, agentId)).toBe(MOST - 1);
    expect(await node.approvals.undecided(node.now, 10)).toHaveLength(4);
    await decide(first, 'approve');
    expect(await placesLeft(caller.agent!, agentId)).toBe(MOST - 1);
    node.now += 1000;
    expect(await placesLeft(caller.agent!, agentId)).toBe(MOST);
  });

  it('is never more than was allowed, however many come at once', async () => {
    const expiresAt = node.now + 60_000;
    const requests = Array.from({ length: 40 }, () => approvalRequest({ expiresAt }));
    const held = await Promise.all(
      requests.map(async (request) => {
        const place = await node.approvals.takePlace(callOf(request), MOST, node.now);
        if (place === undefined) return false;
        await node.approvals.request(request, ORIGIN);
        place.release();
        return true;
      }),
    );
    expect(held.filter(Boolean)).toHaveLength(MOST);
    const [request] = requests;
    expect(await placesLeft(request!.caller.agent!, request!.agentId)).toBe(0);
    expect(await node.approvals.undecided(node.now, 100)).toHaveLength(MOST);
    await decide(requests[held.indexOf(true)]!, 'deny');
    expect(await placesLeft(request!.caller.agent!, request!.agentId)).toBe(1);
  });

  it('has its place also while the view does not show it, and until it expires', async () => {
    const places = new ApprovalPlaces();
    const call = callOf(approvalRequest());
    const place = places.take(call);
    const unseen = () => new Set<Uuid>();
    places.requested(call, node.now + 1000);
    place.release();
    expect(places.count(call, node.now, unseen)).toBe(1);
    expect(places.count({ ...call, calling: 'other' as AgentId }, node.now, unseen)).toBe(0);
    expect(places.count(call, node.now + 1000, unseen)).toBe(0);
  });

  it('has one place for all who would request the very same', async () => {
    const call = callOf(approvalRequest());
    const take = () => node.approvals.takePlace(call, 1, node.now);
    const [one, two] = [await take(), await take()];
    one?.release();
    expect(await placesLeft(call.calling, call.hosted)).toBe(MOST - 1);
    two?.release();
    expect(await placesLeft(call.calling, call.hosted)).toBe(MOST);
  });

  it('leaves no place taken that was given back', async () => {
    const request = approvalRequest({ expiresAt: node.now + 60_000 });
    const place = await node.approvals.takePlace(callOf(request), 1, node.now);
    expect(await node.approvals.takePlace(callOf(approvalRequest()), 1, node.now)).toBe(undefined);
    place?.release();
    expect(await placesLeft(request.caller.agent!, request.agentId)).toBe(MOST);
  });

  it('is found in pages, the oldest first', async () => {
    const ids: Uuid[] = [];
    for (let n = 0; n < 3; n++) ids.push((await requested()).invocationId);
    await node.caughtUp();
    const [one, two, three] = ids;
    expect(await node.approvals.undecided(node.now, 2)).toEqual([one, two]);
    expect(await node.approvals.undecided(node.now, 2, two)).toEqual([three]);
  });
});

describe('an admission of what was to be approved', () => {
  it('needs the approval, and uses it up', async () => {
    const request = await requested();
    const admit = (): Promise<string> => codeOf(node.ledger.admit(admissionOf(request), ORIGIN));
    expect(await admit()).toBe('approval-required');
    expect(await decide(request, 'approve')).toBe('ok');
    expect(await admit()).toBe('ok');
    expect(await admit()).toBe('contention');
    const found = await node.approvals.find(request.invocationId);
    expect(found?.admission?.approval).toEqual({ by: APPROVER, at: timestampOf(node.now) });
  });

  it('has one winner among two nodes, every time', async () => {
    const second = await CapabilityNode.open({ folder: node.folder });
    for (let round = 0; round < 20; round++) {
      const request = await requested();
      await decide(request, 'approve');
      const codes = await Promise.all(
        [node, second, node].map(async ({ ledger }) =>
          codeOf(ledger.admit(admissionOf(request), ORIGIN)),
        ),
      );
      expect(codes.sort()).toEqual(['contention', 'contention', 'ok']);
    }
    await second.close();
  });

  it('is refused for other terms than those that were approved', async () => {
    const request = await requested();
    await decide(request, 'approve');
    const superseded = { ...request.terms, revision: request.terms.revision + 1 };
    const admitted = node.ledger.admit(admissionOf(request, { terms: superseded }), ORIGIN);
    expect(await codeOf(admitted)).toBe('approval-required');
  });

  it('does not happen once the call was canceled', async () => {
    const request = await requested();
    await decide(request, 'approve');
    await node.ledger.end(request.invocationId, 'canceled', ORIGIN);
    expect(await codeOf(node.ledger.admit(admissionOf(request), ORIGIN))).toBe('contention');
    expect((await typesIn(request.invocationId)).at(-1)).toBe('invocation-ended');
  });
});

describe('settled approvals', () => {
  const settled = async (limit = 10): Promise<readonly SettledApproval[]> => {
    await node.caughtUp();
    return node.approvals.settled(node.now, limit);
  };
  const entry = (
    { invocationId, taskId }: ApprovalRequest,
    verdict: SettledApproval['verdict'],
  ): SettledApproval => ({ invocationId, taskId, verdict });

  it('are those that were decided or expired, of calls that neither ran nor ended', async () => {
    const [pending, approved, denied, used, canceled] = [
      await requested(),
      await requested(),
      await requested(),
      await requested(),
      await requested(),
    ] as const;
    for (const each of [approved, used]) await decide(each, 'approve');
    for (const each of [denied, canceled]) await decide(each, 'deny');
    await node.ledger.admit(admissionOf(used), ORIGIN);
    await node.ledger.end(canceled.invocationId, 'canceled', ORIGIN);
    expect(await settled()).toEqual([entry(approved, 'approved'), entry(denied, 'denied')]);
    node.now += 60_000;
    expect(await settled()).toEqual([
      entry(pending, 'expired'),
      entry(approved, 'expired'),
      entry(denied, 'denied'),
    ]);
    for (const { invocationId } of [pending, approved, denied]) {
      await node.ledger.end(invocationId, 'rejected', ORIGIN);
    }
    expect(await settled()).toEqual([]);
  });

  it('come in batches, each after the last of the one before', async () => {
    const requests = [await requested(), await requested(), await requested()];
    for (const each of requests) await decide(each, 'approve');
    const first = await settled(2);
    const rest = await node.approvals.settled(node.now, 2, first.at(-1));
    expect([...first, ...rest]).toEqual(requests.map((each) => entry(each, 'approved')));
    expect(await node.approvals.settled(node.now, 2, rest.at(-1))).toEqual([]);
  });
});

describe('a hint that something was decided', () => {
  it('goes to everybody who listens, until they stop', () => {
    const heard: string[] = [];
    const stop = node.approvals.onDecided((id) => heard.push(`first ${id}`));
    node.approvals.onDecided((id) => heard.push(`second ${id}`));
    node.decisions.publish('a' as Uuid);
    stop();
    node.decisions.publish('b' as Uuid);
    expect(heard).toEqual(['first a', 'second a', 'second b']);
  });
});

describe('a call that is looked for', () => {
  it('is found, whatever became of it, and nothing else is', async () => {
    const call = admission();
    await node.ledger.admit(call, ORIGIN);
    await node.ledger.end(call.invocationId, 'succeeded', ORIGIN, 'R'.repeat(42).concat('A'));
    expect(await node.approvals.find(call.invocationId)).toMatchObject({
      call: { invocationId: call.invocationId, argumentsDigest: call.argumentsDigest },
      approval: null,
      ended: { outcome: 'succeeded', resultDigest: 'R'.repeat(42).concat('A') },
    });
    expect(await node.approvals.find(admission().invocationId)).toBeUndefined();
  });
});

describe('a refusal', () => {
  const refusals = async (): Promise<readonly RecordedEnvelope[]> => {
    const found: RecordedEnvelope[] = [];
    const filter = { types: ['invocation-refused'] };
    for await (const event of node.store.readAll(START, filter)) found.push(event);
    return found;
  };

  it('is recorded in a stream of its own: the call may be made once it is allowed', async () => {
    const refused = refusedCall();
    await node.approvals.refuse(refused, ORIGIN);
    await node.approvals.refuse(refused, ORIGIN);
    expect(await typesIn(refused.invocationId)).toEqual([]);
    const recorded = await refusals();
    expect(new Set(recorded.map(({ stream }) => stream)).size).toBe(2);
    const { caller, basedOn, invocationId: plannedId, ...rest } = refused;
    const { principal, client, agent, tenant } = caller;
    for (const { data, stream, sealed, metadata } of recorded) {
      expect(data).toEqual({
        ...rest,
        plannedId,
        invocationId: stream.slice('invocation-'.length),
        caller: { principal, client, agent, tenant },
      });
      expect([sealed, metadata.basedOn]).toEqual([null, basedOn]);
      expect(await node.approvals.find(data['invocationId'] as Uuid)).toBeUndefined();
    }
    const call = admission({ invocationId: refused.invocationId });
    expect(await codeOf(node.ledger.admit(call, ORIGIN))).toBe('ok');
  });

  it('is counted alone once 30 of an agent were recorded within a minute', async () => {
    for (let i = 0; i < 35; i++) await node.approvals.refuse(refusedCall(), ORIGIN);
    const another = partner({ agent: 'another-agent' });
    await node.approvals.refuse(refusedCall({ caller: another, code: 'contract-expired' }), ORIGIN);
    const recorded = await refusals();
    const by = (agent: AgentId | string) =>
      recorded.filter(({ metadata }) => metadata.actor.agent === agent).length;
    expect([by('partner-agent'), by('another-agent')]).toEqual([30, 1]);
    node.approvals.count('not-entitled');
    expect(node.refusals.check().details).toEqual({
      recorded: 31,
      byCode: { 'not-entitled': 1, 'contract-expired': 1, 'action-not-allowed': 35 },
    });
  });

  it('stands, though the log is away', async () => {
    const second = await CapabilityNode.open({ folder: node.folder });
    await second.close();
    await expect(second.approvals.refuse(refusedCall(), ORIGIN)).resolves.toBeUndefined();
    expect(second.refusals.check().details).toEqual({
      recorded: 0,
      byCode: { 'action-not-allowed': 1 },
    });
  });
});

describe('usage of a capability', () => {
  it('counts admissions alone', async () => {
    const request = await requested();
    await node.approvals.refuse(refusedCall(), ORIGIN);
    const calls = async (): Promise<number> => {
      const { agentId, skillId } = request;
      const usage = await node.usage.of(agentId, skillId, await node.store.head());
      return usage.ok ? usage.value.days.reduce((sum, day) => sum + day.calls, 0) : NaN;
    };
    expect(await calls()).toBe(0);
    await decide(request, 'approve');
    await node.ledger.admit(admissionOf(request), ORIGIN);
    expect(await calls()).toBe(1);
  });
});
