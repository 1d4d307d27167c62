import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { expect, it } from '@jest/globals';
import { interactionStream } from '../../src/interactions/domain/stream.js';
import type { InteractionId } from '../../src/kernel/ids.js';
import { calendarStream } from '../../src/processes/calendar-events.js';
import { built } from '../support/built.js';
import { eventually } from '../support/eventually.js';
import { DAY } from '../support/interaction-fixtures.js';
import { ALPHA, BETA, Deployment, healthOf } from './support/deployment.js';

const AHEAD_MS = 3_600_000;
const TOTAL = 320;
const ERASURES = 120;
const CHILD = built(new URL('./support/process-child.ts', import.meta.url));

/** Runs a node and kills it once it has told of so many effects, or of so many keys destroyed. */
async function runAndKill(
  folder: string,
  node: string,
  effects: number,
  aheadMs = AHEAD_MS,
): Promise<void> {
  const child = spawn(process.execPath, [CHILD, folder, node, String(aheadMs)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exit = once(child, 'exit');
  let told = 0;
  for await (const _ of createInterface(child.stdout))
    if (++told === effects) child.kill('SIGKILL');
  await exit;
  expect(child.signalCode).toBe('SIGKILL');
}

it('a node that is killed in the middle of its effects leaves each of them done once', async () => {
  const deployment = await Deployment.open(() => Date.now() + AHEAD_MS - 60_000);
  try {
    await deployment.register(ALPHA);
    await deployment.register(BETA);
    const expiresAt = Date.now() + AHEAD_MS - 1;
    const ids = await Promise.all(
      Array.from({ length: TOTAL }, async () => deployment.propose(expiresAt)),
    );

    // The same node after a crash, then another one.
    await runAndKill(deployment.folder, 'node-a', 1);
    await runAndKill(deployment.folder, 'node-a', 20);

    const rest = await Deployment.open(() => Date.now() + 2 * AHEAD_MS, deployment.folder);
    const processes = rest.run('node-b');
    await eventually(async () => {
      const { state, pending } = await healthOf(processes, 'expiry');
      return state === 'following' && pending === 0;
    });
    await rest.close();
    for (const id of ids) {
      const events = await deployment.events(interactionStream(id));
      expect(events.map(({ type }) => type)).toEqual([
        'interaction-proposed',
        'interaction-expired',
      ]);
    }
    // Killed twice in the middle: the last node found part of the work done.
    expect(rest.performed.length).toBeGreaterThan(0);
    expect(rest.performed.length).toBeLessThan(TOTAL - 20);
  } finally {
    await deployment.dispose();
  }
});

/** Interactions that were agreed and have ended, all with this retention. */
async function cancelledWith(
  retentionDays: number,
  deployment: Deployment,
): Promise<readonly InteractionId[]> {
  await deployment.register(ALPHA);
  await deployment.register(BETA);
  return Promise.all(
    Array.from({ length: ERASURES }, async () => {
      const id = await deployment.propose(Date.now() + AHEAD_MS, [ALPHA, BETA], { retentionDays });
      await deployment.actOnHead(id, BETA, { kind: 'accept' });
      await deployment.actOnHead(id, BETA, { kind: 'cancel' });
      return id;
    }),
  );
}

it('a node that is killed between destroying keys and recording it leaves each erasure done once', async () => {
  const deployment = await Deployment.open();
  try {
    const ids = await cancelledWith(0, deployment);
    const halfDone = async (): Promise<number> => {
      const scopes = ids.map(interactionStream);
      const keys = await deployment.keys.findAll(scopes);
      const recorded = await Promise.all(ids.map(async (id) => deployment.eventsOf(id)));
      return scopes.filter(
        (scope, n) =>
          keys.get(scope) === 'erased' &&
          recorded[n]?.every(({ type }) => type !== 'texts-erased') === true,
      ).length;
    };

    await runAndKill(deployment.folder, 'node-a', 1);
    expect(await halfDone()).toBeGreaterThan(0);
    await runAndKill(deployment.folder, 'node-a', 40);

    const rest = await Deployment.open(() => Date.now() + 2 * AHEAD_MS, deployment.folder);
    const processes = rest.run('node-b');
    await eventually(async () => {
      const { state, pending } = await healthOf(processes, 'erasure');
      return state === 'following' && pending === 0;
    });
    await rest.close();
    expect(await halfDone()).toBe(0);
    for (const id of ids) {
      const events = await deployment.events(interactionStream(id));
      expect(events.map(({ type }) => type)).toEqual([
        'interaction-proposed',
        'revision-accepted',
        'revision-attested',
        'interaction-cancelled',
        'texts-erased',
      ]);
      // Whoever came after could not read any more for how long they were retained.
      const [cancelled, erased] = events.slice(-2);
      const retention = { days: 0, until: cancelled?.recordedAt };
      expect(erased?.data).toMatchObject({ ground: 'retention', retention });
    }
  } finally {
    await deployment.dispose();
  }
});

it('a node that is killed while it works off a page of its calendar leaves each erasure done once', async () => {
  const deployment = await Deployment.open();
  try {
    const ids = await cancelledWith(30, deployment);
    const indexOf = async () =>
      (await deployment.events(calendarStream('erasure'))).map(({ type }) => type);
    const noting = deployment.run('node-a', { checkpointAfterEvents: 1, idleMs: 50 });
    await eventually(async () => {
      const { state, pending } = await healthOf(noting, 'erasure');
      return state === 'following' && pending === 0 && (await indexOf()).length > 0;
    });
    await noting.stop();

    await runAndKill(deployment.folder, 'node-a', 1, 31 * DAY);
    await runAndKill(deployment.folder, 'node-a', 40, 31 * DAY);
    expect(await indexOf()).not.toContain('calendar-page-done');

    const rest = await Deployment.open(() => Date.now() + 32 * DAY, deployment.folder);
    const processes = rest.run('node-b');
    await eventually(async () => {
      const open = (await indexOf()).map((type) => (type === 'calendar-page-done' ? -1 : 1));
      return open.reduce<number>((sum, each) => sum + each, 0) === 0;
    });
    expect(await healthOf(processes, 'erasure')).toMatchObject({ pending: 0, lastError: null });
    await rest.close();
    for (const id of ids) {
      expect(await deployment.keys.find(interactionStream(id))).toBe('erased');
      expect(await deployment.eventsOf(id, 'texts-erased')).toHaveLength(1);
    }
  } finally {
    await deployment.dispose();
  }
});
