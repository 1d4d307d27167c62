import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { EventStore } from '../../src/event-store/port.js';
import type { Timestamp } from '../../src/kernel/timestamp.js';
import { timestampOf } from '../../src/kernel/timestamp.js';
import { aMoment, eventually } from '../support/eventually.js';
import { ALPHA, BETA, Deployment, healthOf } from './support/deployment.js';

let now: number;
let deployment: Deployment;

beforeEach(async () => {
  now = Date.parse('2030-01-01T00:00:00.000Z');
  deployment = await Deployment.open(() => now);
  await deployment.register(ALPHA);
  await deployment.register(BETA);
});

afterEach(async () => {
  await deployment.dispose();
});

describe('an interaction', () => {
  it('expires at expiresAt and not a millisecond earlier', async () => {
    const id = await deployment.propose(now + 1000);
    const processes = deployment.run('node-a');
    await eventually(async () => (await healthOf(processes, 'expiry')).pending === 1);
    now += 999;
    await aMoment();
    expect(deployment.performed).toEqual([]);
    now += 1;
    await eventually(async () => (await deployment.statusOf(id)) === 'expired');
    const [expired, ...more] = await deployment.eventsOf(id, 'interaction-expired');
    expect(more).toEqual([]);
    expect(expired?.recordedAt).toBe(timestampOf(now));
    expect(expired?.data['effectiveAt']).toBe(timestampOf(now));
  });

  it('whose expiresAt has digits beyond the millisecond waits for the next one', async () => {
    const expiresAt = '2030-01-01T00:00:01.0005Z' as Timestamp;
    const id = await deployment.propose(expiresAt);
    const processes = deployment.run('node-a');
    await eventually(async () => (await healthOf(processes, 'expiry')).pending === 1);
    now += 1000;
    await aMoment();
    expect(deployment.performed).toEqual([]);
    now += 1;
    await eventually(async () => (await deployment.statusOf(id)) === 'expired');
    const [expired] = await deployment.eventsOf(id, 'interaction-expired');
    expect(expired?.data['effectiveAt']).toBe(expiresAt);
  });

  it('that expired while no process ran is recorded once, dated expiresAt', async () => {
    const expiresAt = now + 5000;
    const id = await deployment.propose(expiresAt);
    now += 24 * 3_600_000;
    const first = deployment.run('node-a');
    await eventually(async () => (await deployment.statusOf(id)) === 'expired');
    await first.stop();
    const second = deployment.run('node-a');
    await eventually(async () => (await healthOf(second, 'expiry')).state === 'following');
    await aMoment();
    const expired = await deployment.eventsOf(id, 'interaction-expired');
    expect(expired).toHaveLength(1);
    expect(expired[0]?.data['effectiveAt']).toBe(timestampOf(expiresAt));
    expect(expired[0]?.recordedAt).toBe(timestampOf(now));
    expect(deployment.performed).toEqual([`expire ${id}`]);
  });

  it('is not touched before the log was read to its head, where its end may stand', async () => {
    const id = await deployment.propose(now + 1000);
    await deployment.actOnHead(id, BETA, { kind: 'cancel' });
    now += 2000;
    const slow = new Proxy(deployment.store, {
      get(target, member) {
        if (member === 'subscribeAll') {
          return async function* (...args: Parameters<EventStore['subscribeAll']>) {
            for await (const message of target.subscribeAll(...args)) {
              yield message;
              await aMoment();
            }
          };
        }
        const value: unknown = Reflect.get(target, member);
        return typeof value === 'function' ? (value.bind(target) as unknown) : value;
      },
    });
    const processes = deployment.run('node-a', {}, slow);
    await eventually(async () => (await healthOf(processes, 'expiry')).pending === 1);
    await eventually(async () => (await healthOf(processes, 'expiry')).state === 'following');
    expect(deployment.performed).toEqual([]);
  });

  it('that has ended otherwise is left alone', async () => {
    const rejected = await deployment.propose(now + 1000);
    await deployment.actOnHead(rejected, BETA, { kind: 'reject' });
    const withdrawn = await deployment.propose(now + 1000);
    await deployment.actOnHead(withdrawn, ALPHA, { kind: 'withdraw' });
    const processes = deployment.run('node-a');
    await eventually(async () => (await healthOf(processes, 'expiry')).state === 'following');
    const cancelled = await deployment.propose(now + 1000);
    await deployment.actOnHead(cancelled, BETA, { kind: 'accept' });
    await deployment.actOnHead(cancelled, BETA, { kind: 'cancel' });
    const head = await deployment.store.head();
    await eventually(async () => (await healthOf(processes, 'expiry')).seen >= head);
    expect((await healthOf(processes, 'expiry')).pending).toBe(0);
    now += 2000;
    await aMoment();
    expect(deployment.performed).toEqual([]);
  });

  it('that is active expires although an amendment of it was rejected or withdrawn', async () => {
    const ids = [await deployment.propose(now + 1000), await deployment.propose(now + 1000)];
    for (const [index, id] of ids.entries()) {
      await deployment.actOnHead(id, BETA, { kind: 'accept' });
      await deployment.actOnHead(id, ALPHA, { kind: 'revise', purpose: 'more' });
      if (index === 0) await deployment.actOnHead(id, BETA, { kind: 'reject' });
      else await deployment.actOnHead(id, ALPHA, { kind: 'withdraw' });
    }
    deployment.run('node-a');
    now += 1000;
    for (const id of ids) {
      await eventually(async () => (await deployment.statusOf(id)) === 'expired');
    }
  });

  it('far ahead does not overflow the timer', async () => {
    const id = await deployment.propose(now + 360 * 24 * 3_600_000);
    const processes = deployment.run('node-a', { longestSleepMs: 60_000 });
    await eventually(async () => (await healthOf(processes, 'expiry')).pending === 1);
    await aMoment();
    expect(await deployment.statusOf(id)).toBe('pending');
    expect(deployment.performed).toEqual([]);
    expect((await healthOf(processes, 'expiry')).overdueMs).toBe(0);
  });

  it('expires on time by the real clock', async () => {
    const real = await Deployment.open();
    try {
      await real.register(ALPHA);
      await real.register(BETA);
      const expiresAt = Date.now() + 300;
      real.run('node-a', { longestSleepMs: 60_000 });
      const id = await real.propose(expiresAt);
      await eventually(async () => (await real.statusOf(id)) === 'expired');
      const [expired] = await real.eventsOf(id, 'interaction-expired');
      expect(Date.parse(expired?.recordedAt ?? '')).toBeGreaterThanOrEqual(expiresAt);
    } finally {
      await real.dispose();
    }
  });
});

describe('its metadata', () => {
  it('names the process and the event that it follows from', async () => {
    const id = await deployment.propose(now + 1000);
    deployment.run('node-a');
    now += 1000;
    await eventually(async () => (await deployment.statusOf(id)) === 'expired');
    const [proposed] = await deployment.eventsOf(id, 'interaction-proposed');
    const [expired] = await deployment.eventsOf(id, 'interaction-expired');
    expect(expired?.metadata).toMatchObject({
      actor: { principal: 'process:expiry', agent: null, tenant: null },
      causationId: proposed?.id,
      correlationId: proposed?.metadata.correlationId,
    });
  });
});
