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
const LOADER = new URL('../support/typescript/register.mjs', import.meta.url);
const CHILD = fileURLToPath(new URL('./support/process-child.ts', import.meta.url));

/** Runs a node and kills it once it has told of so many effects. */
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
