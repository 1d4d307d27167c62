import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { firstCountedDay } from '../../src/invocations/capability-usage.js';
import { ProjectedUsage } from '../../src/invocations/projected-usage.js';
import type { SkillId } from '../../src/kernel/ids.js';
import { timestampOf, type Timestamp } from '../../src/kernel/timestamp.js';
import { FINANCE } from '../capabilities/support/capabilities.js';
import { CapabilityNode } from '../capabilities/support/capability-node.js';
import { become, register, SKILL } from '../capabilities/support/given-when-then.js';
import { admission, ORIGIN } from './support/admissions.js';

const DAY = 24 * 60 * 60 * 1000;

let node: CapabilityNode;

beforeEach(async () => {
  node = await CapabilityNode.open();
});

afterEach(async () => {
  await node.dispose();
});

async function call(skillId = SKILL): Promise<void> {
  const { invocationId, ...rest } = admission({ skillId, deadline: node.now + 1000 });
  await node.ledger.admit({ invocationId, ...rest }, ORIGIN);
  await node.ledger.end(invocationId, 'failed', ORIGIN);
}

async function usage(skillId = SKILL): Promise<unknown> {
  const figures = await node.usage.of(FINANCE, skillId, await node.store.head());
  return figures.ok ? figures.value : figures.error.code;
}

describe('usage of a capability', () => {
  it('is nothing at first', async () => {
    expect(await usage()).toEqual({ lastCall: null, days: [] });
  });

  it('counts the calls of each day, whatever came of them, of this capability alone', async () => {
    await call();
    await call();
    await call('other' as SkillId);
    node.now += DAY;
    await call();
    expect(await usage()).toEqual({
      lastCall: timestampOf(node.now),
      days: [
        { day: '2030-03-01', calls: 2 },
        { day: '2030-03-02', calls: 1 },
      ],
    });
  });

  it('forgets days after 30, but never the last call', async () => {
    await call();
    const lastCall = timestampOf(node.now);
    node.now += 29 * DAY;
    expect(await usage()).toEqual({ lastCall, days: [{ day: '2030-03-01', calls: 1 }] });
    node.now += DAY;
    expect(await usage()).toEqual({ lastCall, days: [] });
    await call();
    expect(await usage()).toEqual({
      lastCall: timestampOf(node.now),
      days: [{ day: '2030-03-31', calls: 1 }],
    });
    const rows = node.runner.prepare('SELECT day FROM capability_usage_days').all();
    expect(rows).toHaveLength(1);
  });

  it('is that of the latest call, though another node’s clock is behind', async () => {
    await call();
    const lastCall = timestampOf(node.now);
    node.now -= 5000;
    await call();
    expect(await usage()).toMatchObject({ lastCall, days: [{ calls: 2 }] });
  });

  it('waits for what the log holds, and says so when it does not come in time', async () => {
    await node.runner.stop();
    await call();
    const impatient = new ProjectedUsage(node.runner, node.clock, { readWaitMs: 20 });
    const figures = await impatient.of(FINANCE, SKILL, await node.store.head());
    expect(figures).toEqual({ ok: false, error: { code: 'projection-behind' } });
  });

  it.each([
    ['2030-03-01T00:00:00.000Z', '2030-01-31'],
    ['2030-03-30T23:59:59.999Z', '2030-03-01'],
    ['2028-03-01T12:00:00.000Z', '2028-02-01'],
  ])('at %s counts from %s', (now, first) => {
    expect(firstCountedDay(now as Timestamp)).toBe(first);
  });
});

describe('the removal of a capability', () => {
  const codeOf = async (removal: ReturnType<typeof become>): Promise<string> => {
    const executed = await node.perform(removal);
    return executed.ok ? executed.value.state.manifest.state : executed.error.code;
  };

  it('waits for 30 days without a call, by what was called right before', async () => {
    await node.performAll(register({ state: 'deprecated' }));
    await call();
    expect(await codeOf(become('removed', 0))).toBe('capability-in-use');
    node.now += 30 * DAY;
    expect(await codeOf(become('removed', 0))).toBe('capability-in-use');
    node.now += 1;
    expect(await codeOf(become('removed', 0))).toBe('removed');
  });

  it('may be forced with a reason', async () => {
    await node.performAll(register({ state: 'deprecated' }));
    await call();
    const forced = become('removed', 0, { force: true, reason: 'it leaks' });
    expect(await codeOf(forced)).toBe('removed');
  });
});
