import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '../support/eventually.js';
import { ALPHA, BETA, Deployment, GAMMA, healthOf, POLICY } from './support/deployment.js';
import type { Processes } from '../../src/processes/processes.js';

let now: number;
let deployment: Deployment;

const DAY = 24 * 3_600_000;
const BY_POLICY = ['oauth_installation', 'policy_auto_accept'] as const;

beforeEach(async () => {
  now = Date.parse('2030-01-01T00:00:00.000Z');
  deployment = await Deployment.open(() => now);
  await deployment.register(ALPHA);
  await deployment.register(BETA, BY_POLICY);
  await deployment.register(GAMMA);
});

afterEach(async () => {
  await deployment.dispose();
});

/** Until the process has seen all of the log and has nothing left to do. */
async function settled(processes: Processes): Promise<void> {
  const head = await deployment.store.head();
  await eventually(async () => {
    const { seen, pending } = await healthOf(processes, 'auto-acceptance');
    return seen >= head && pending === 0;
  });
}

async function withPolicy(): Promise<void> {
  await deployment.setPolicy(BETA, POLICY);
  now += 1000;
}

describe('a proposal that the policy covers', () => {
  it('is accepted under the policy that was in force, and attested', async () => {
    await withPolicy();
    deployment.run('node-a');
    const id = await deployment.propose(now + DAY);
    await eventually(async () => (await deployment.statusOf(id)) === 'active');
    const [accepted, ...more] = await deployment.eventsOf(id, 'revision-accepted');
    expect(more).toEqual([]);
    expect(accepted?.data).toMatchObject({
      acceptance: { agentId: BETA, method: 'policy_auto_accept' },
      policyRevision: 1,
    });
    expect(accepted?.metadata.actor.principal).toBe('process:auto-acceptance');
    expect(await deployment.eventsOf(id, 'revision-attested')).toHaveLength(1);
  });

  it('is accepted also when it was made while no process ran, once over restarts', async () => {
    await withPolicy();
    const id = await deployment.propose(now + DAY);
    now += 1000;
    for (let run = 0; run < 3; run++) {
      const processes = deployment.run('node-a');
      await settled(processes);
      await processes.stop();
    }
    expect(await deployment.statusOf(id)).toBe('active');
    expect(await deployment.eventsOf(id, 'revision-accepted')).toHaveLength(1);
    expect(deployment.performed).toEqual([`auto-accept ${id}`]);
  });

  it.each([
    ['within the same millisecond', 0],
    ['on a node whose clock is ahead', 3_600_000],
  ])('is accepted when the policy was set before it %s', async (_, aheadMs) => {
    now += aheadMs;
    await deployment.setPolicy(BETA, POLICY);
    now -= aheadMs;
    deployment.run('node-a');
    const id = await deployment.propose(now + DAY);
    await eventually(async () => (await deployment.statusOf(id)) === 'active');
  });

  it('is accepted for that agent alone when others have to accept too', async () => {
    await withPolicy();
    const processes = deployment.run('node-a');
    const id = await deployment.propose(now + DAY, [ALPHA, BETA, GAMMA]);
    await eventually(async () => (await deployment.eventsOf(id, 'revision-accepted')).length === 1);
    await settled(processes);
    expect(await deployment.statusOf(id)).toBe('pending');
    await deployment.actOnHead(id, GAMMA, { kind: 'accept' });
    expect(await deployment.statusOf(id)).toBe('active');
  });

  it('is accepted when it is an amendment or a counter-proposal', async () => {
    await withPolicy();
    deployment.run('node-a');
    const id = await deployment.propose(now + DAY);
    await eventually(async () => (await deployment.statusOf(id)) === 'active');
    await deployment.actOnHead(id, ALPHA, { kind: 'revise', purpose: 'amended' });
    await eventually(async () => (await deployment.eventsOf(id, 'revision-attested')).length === 2);
  });

  it('is not accepted on behalf of its proposer', async () => {
    await withPolicy();
    const processes = deployment.run('node-a');
    const id = await deployment.propose(now + DAY, [ALPHA, BETA], { taskCategory: 'surgery' });
    await deployment.actOnHead(id, BETA, { kind: 'revise', purpose: 'countered' });
    await settled(processes);
    expect(await deployment.statusOf(id)).toBe('pending');
    expect(await deployment.eventsOf(id, 'revision-accepted')).toEqual([]);
  });
});

describe('a proposal stays pending', () => {
  async function staysPending(): Promise<void> {
    const id = await deployment.propose(now + DAY);
    await settled(deployment.run('node-a'));
    expect(await deployment.statusOf(id)).toBe('pending');
    expect(deployment.performed).toEqual([]);
  }

  it('without a policy', staysPending);

  it('when the agent does not accept by policy', async () => {
    await withPolicy();
    await deployment.setMethods(BETA, ['oauth_installation']);
    now += 1000;
    await staysPending();
  });

  it.each([
    ['', 1000],
    [' within the same millisecond', 0],
    [' on a node whose clock is behind', -1000],
  ])('when the policy came later%s', async (_, elapsedMs) => {
    now += 2000;
    const id = await deployment.propose(now + DAY);
    now += elapsedMs;
    await deployment.setPolicy(BETA, POLICY);
    await settled(deployment.run('node-a'));
    expect(await deployment.statusOf(id)).toBe('pending');
    expect(deployment.performed).toEqual([]);
  });

  it.each([
    ['taken back', null],
    ['replaced by an equal one', POLICY],
  ])('when the policy was %s before it was applied', async (_, later) => {
    await withPolicy();
    const id = await deployment.propose(now + DAY);
    now += 1000;
    await deployment.setPolicy(BETA, later);
    now += 1000;
    await settled(deployment.run('node-a'));
    expect(await deployment.statusOf(id)).toBe('pending');
    expect(deployment.performed).toEqual([]);
  });

  it('when the terms are beyond the policy', async () => {
    await withPolicy();
    const id = await deployment.propose(now + DAY, [ALPHA, BETA], { retentionDays: 31 });
    await settled(deployment.run('node-a'));
    expect(await deployment.statusOf(id)).toBe('pending');
    expect(deployment.performed).toEqual([`auto-accept ${id}`]);
  });
});

describe('two nodes', () => {
  it('give one acceptance', async () => {
    await withPolicy();
    const nodes = [deployment.run('node-a'), deployment.run('node-b')];
    const ids = [];
    for (let i = 0; i < 10; i++) ids.push(await deployment.propose(now + DAY));
    for (const id of ids) {
      await eventually(async () => (await deployment.statusOf(id)) === 'active');
    }
    for (const node of nodes) await settled(node);
    for (const id of ids) expect(await deployment.eventsOf(id)).toHaveLength(3);
    expect(deployment.performed).toHaveLength(10);
  });
});
