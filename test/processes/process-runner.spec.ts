import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { START } from '../../src/event-store/port.js';
import { timestampOf } from '../../src/kernel/timestamp.js';
import type { InteractionId } from '../../src/kernel/ids.js';
import { processStream } from '../../src/processes/events.js';
import { aMoment, eventually } from '../support/eventually.js';
import { ALPHA, BETA, Deployment, healthOf } from './support/deployment.js';
import { failingStore } from './support/failing-store.js';

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

async function ledger(): Promise<string[]> {
  const events = await deployment.events(processStream('expiry'));
  return events.map(({ type, data }) => `${type} ${String(data['node'])}`);
}

describe('the lease', () => {
  it('is not taken while there is nothing to do: an idle service writes nothing', async () => {
    await deployment.propose(now + 1000);
    const processes = deployment.run('node-a');
    await eventually(async () => (await healthOf(processes, 'expiry')).pending === 1);
    await aMoment();
    expect(await ledger()).toEqual([]);
    expect((await healthOf(processes, 'expiry')).lease).toBeNull();
  });

  it('lets one of two nodes act, and each expiry is recorded once', async () => {
    const ids = [];
    for (let i = 0; i < 40; i++) ids.push(await deployment.propose(now + 1000));
    const nodes = [deployment.run('node-a'), deployment.run('node-b')];
    now += 1000;
    for (const id of ids) {
      await eventually(async () => (await deployment.statusOf(id)) === 'expired');
    }
    for (const node of nodes) {
      await eventually(async () => (await healthOf(node, 'expiry')).pending === 0);
    }
    for (const id of ids) expect(await deployment.eventsOf(id)).toHaveLength(2);
    expect(deployment.performed).toHaveLength(40);
    expect(new Set(await ledger()).size).toBe(1);
    const [health] = await nodes[0]!.health();
    expect(health?.lease).toEqual({
      node: expect.stringMatching(/^node-[ab]$/),
      until: timestampOf(now + 30_000),
    });
  });

  it('is an economy, not a lock: two nodes that both think they hold it do everything once', async () => {
    const ids = [];
    for (let i = 0; i < 40; i++) ids.push(await deployment.propose(now + 1000));
    const other = await Deployment.open(() => now, deployment.folder);
    const deluded = new Proxy(other.store, {
      get(target, member) {
        const value: unknown = Reflect.get(target, member);
        if (typeof value !== 'function') return value;
        return (first: unknown, ...rest: unknown[]): unknown => {
          const stream = first === processStream('expiry') ? processStream('elsewhere') : first;
          return Reflect.apply(value, target, [stream, ...rest]);
        };
      },
    });
    const bothAct = async () =>
      eventually(() => deployment.performed.length > 0 && other.performed.length > 0);
    deployment.beforeEffect = bothAct;
    other.beforeEffect = bothAct;
    now += 1000;
    const nodes = [deployment.run('node-a'), other.run('node-b', {}, deluded)];
    for (const node of nodes) {
      await eventually(async () => {
        const { state, pending } = await healthOf(node, 'expiry');
        return state === 'following' && pending === 0;
      });
    }
    await other.close();
    for (const id of ids) expect(await deployment.eventsOf(id)).toHaveLength(2);
  });

  it('is prolonged when half of it is gone, and not before', async () => {
    const processes = deployment.run('node-a');
    for (const [wait, leases] of [
      [0, 1],
      [14_000, 1],
      [1_500, 2],
    ] as const) {
      now += wait;
      const id = await deployment.propose(now + 1);
      now += 1;
      await eventually(async () => (await deployment.statusOf(id)) === 'expired');
      expect(await ledger()).toHaveLength(leases);
    }
    await eventually(async () => (await healthOf(processes, 'expiry')).pending === 0);
  });

  /** A second later node-a expires it, and is as good as dead: its lease runs for another 30 seconds. */
  async function expireAndDie(first: InteractionId): Promise<void> {
    const crashing = await Deployment.open(() => now, deployment.folder);
    const broken = { now: false };
    crashing.run(
      'node-a',
      {},
      failingStore(crashing.store, () => broken.now),
    );
    now += 1000;
    await eventually(async () => (await deployment.statusOf(first)) === 'expired');
    broken.now = true;
    await crashing.close();
  }

  it('keeps another node waiting until it has run out', async () => {
    const first = await deployment.propose(now + 1000);
    const second = await deployment.propose(now + 20_000);
    await expireAndDie(first);

    const standby = deployment.run('node-b');
    now += 19_500;
    await eventually(async () => (await healthOf(standby, 'expiry')).overdueMs > 0);
    await aMoment();
    expect(await deployment.statusOf(second)).toBe('pending');
    expect((await healthOf(standby, 'expiry')).lease?.node).toBe('node-a');
    now += 10_500;
    await eventually(async () => (await deployment.statusOf(second)) === 'expired');
    expect((await healthOf(standby, 'expiry')).lease?.node).toBe('node-b');
  });

  it('is no hindrance for the same node after a crash', async () => {
    const first = await deployment.propose(now + 1000);
    const second = await deployment.propose(now + 2000);
    await expireAndDie(first);
    deployment.run('node-a');
    now += 1000;
    await eventually(async () => (await deployment.statusOf(second)) === 'expired');
    expect(await ledger()).toEqual(['lease-acquired node-a']);
  });

  it('is given back at shutdown, so that another node acts at once', async () => {
    const first = await deployment.propose(now + 1000);
    const second = await deployment.propose(now + 2000);
    const leaving = deployment.run('node-a');
    now += 1000;
    await eventually(async () => (await deployment.statusOf(first)) === 'expired');
    await leaving.stop();
    deployment.run('node-b');
    now += 1000;
    await eventually(async () => (await deployment.statusOf(second)) === 'expired');
    expect(await ledger()).toEqual([
      'lease-acquired node-a',
      'checkpoint-moved node-a',
      'lease-released node-a',
      'lease-acquired node-b',
    ]);
  });
});

describe('the checkpoint', () => {
  const EAGER = { checkpointAfterEvents: 1, idleMs: 0 };

  it('stays before the oldest interaction that has not ended', async () => {
    const ended = await deployment.propose(now + 1000);
    await deployment.actOnHead(ended, BETA, { kind: 'reject' });
    const open = await deployment.propose(now + 10_000);
    const later = await deployment.propose(now + 1000);
    await deployment.actOnHead(later, BETA, { kind: 'reject' });
    const processes = deployment.run('node-a', EAGER);
    await eventually(async () => (await ledger()).length === 1);
    const rejected = (await deployment.eventsOf(ended)).at(-1)?.position;
    expect((await healthOf(processes, 'expiry')).checkpoint).toBe(rejected);
    await processes.stop();

    const next = deployment.run('node-b', EAGER);
    await eventually(async () => (await healthOf(next, 'expiry')).pending === 1);
    now += 10_000;
    await eventually(async () => (await deployment.statusOf(open)) === 'expired');
    const expired = (await deployment.eventsOf(open)).at(-1)?.position ?? START;
    await eventually(async () => (await healthOf(next, 'expiry')).checkpoint >= expired);
  });

  it('is written rarely', async () => {
    const processes = deployment.run('node-a', { checkpointAfterEvents: 30, idleMs: 60_000 });
    for (let i = 0; i < 20; i++) {
      const id = await deployment.propose(now + 1000);
      await deployment.actOnHead(id, BETA, { kind: 'reject' });
    }
    const head = await deployment.store.head();
    await eventually(async () => (await healthOf(processes, 'expiry')).seen >= head);
    await aMoment();
    expect(await ledger()).toEqual([]);
    now += 60_000;
    await eventually(async () => (await ledger()).length === 1);
    await processes.stop();
    const again = deployment.run('node-a');
    await eventually(async () => (await healthOf(again, 'expiry')).state === 'following');
    await again.stop();
    expect(await ledger()).toEqual(['checkpoint-moved node-a']);
  });

  it('spares the next start what lies before it', async () => {
    for (let i = 0; i < 5; i++) {
      const id = await deployment.propose(now + 1000);
      await deployment.actOnHead(id, BETA, { kind: 'reject' });
    }
    const first = deployment.run('node-a');
    await eventually(async () => (await healthOf(first, 'expiry')).state === 'following');
    await first.stop();
    const asked: unknown[] = [];
    const store = new Proxy(deployment.store, {
      get(target, member) {
        const value: unknown = Reflect.get(target, member);
        if (typeof value !== 'function') return value;
        return (...args: unknown[]): unknown => {
          if (member === 'subscribeAll') asked.push(args[0]);
          return Reflect.apply(value, target, args);
        };
      },
    });
    const second = deployment.run('node-a', {}, store);
    const { checkpoint } = await healthOf(second, 'expiry');
    await eventually(async () => (await healthOf(second, 'expiry')).state === 'following');
    expect(checkpoint > START).toBe(true);
    expect(asked).toContain(checkpoint);
  });

  it('stays before an event from a later build, and the others are done', async () => {
    const unread = await deployment.propose(now + 1000);
    const [proposed] = await deployment.eventsOf(unread);
    const copy = { ...proposed!, id: 'later', schemaVersion: 99 };
    await deployment.store.append('interaction-later', 'no-stream', [copy]);
    const next = await deployment.propose(now + 1000);
    const processes = deployment.run('node-a', EAGER);
    now += 1000;
    await eventually(async () => (await deployment.statusOf(next)) === 'expired');
    expect(await deployment.statusOf(unread)).toBe('expired');
    await processes.stop();
    const { unreadable, checkpoint } = await healthOf(processes, 'expiry');
    expect(unreadable).toBe(1);
    const [later] = await deployment.events('interaction-later');
    expect(checkpoint < (later?.position ?? START)).toBe(true);
  });
});
