import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, it } from '@jest/globals';
import { interactionStream } from '../../src/interactions/domain/stream.js';
import { eventually } from '../support/eventually.js';
import { ALPHA, BETA, Deployment, healthOf } from './support/deployment.js';

const AHEAD_MS = 3_600_000;
const TOTAL = 320;
const ERASURES = 120;
const LOADER = new URL('../support/typescript/register.mjs', import.meta.url);
const CHILD = fileURLToPath(new URL('./support/process-child.ts', import.meta.url));

/** Runs a node and kills it once it has told of so many effects, or of so many keys destroyed. */
async function runAndKill(folder: string, node: string, effects: number): Promise<void> {
  const child = spawn(
    process.execPath,
    ['--import', LOADER.href, CHILD, folder, node, String(AHEAD_MS)],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
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

it('a node that is killed between destroying keys and recording it leaves each erasure done once', async () => {
  const deployment = await Deployment.open();
  try {
    await deployment.register(ALPHA);
    await deployment.register(BETA);
    const ids = await Promise.all(
      Array.from({ length: ERASURES }, async () => {
        const id = await deployment.propose(Date.now() + AHEAD_MS, [ALPHA, BETA], {
          retentionDays: 0,
        });
        await deployment.actOnHead(id, BETA, { kind: 'accept' });
        await deployment.actOnHead(id, BETA, { kind: 'cancel' });
        return id;
      }),
    );
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
    }
  } finally {
    await deployment.dispose();
  }
});
