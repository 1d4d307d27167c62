/**
 * Runs one PostgreSQL server with its files in a folder of the system's temporary one, says its URL
 * on standard output, and ends it, folder and all, once its standard input ends: also when whoever
 * started it was killed. Without a server it says why on standard error and ends with 1.
 */
import { rm } from 'node:fs/promises';
import { privateFolder, unprivilegedAccount } from './postgres-account.js';
import { binariesFor } from './postgres-binaries.js';
import { startCluster } from './postgres-cluster.js';

async function serveUntil(ended: Promise<unknown>): Promise<void> {
  const account = unprivilegedAccount();
  const folder = await privateFolder(account);
  try {
    const binaries = await binariesFor(account, folder);
    const cluster = await startCluster({ binaries, folder, account });
    process.stdout.write(`${cluster.url}\n`);
    await ended;
    await cluster.stop();
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

// The server's account has to get at what we make for it.
process.umask(0o022);
// Whoever started us may be gone before we answer.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
const parentEnded = new Promise((resolve) => {
  process.stdin.resume().once('end', resolve).once('error', resolve);
});
let code = 0;
try {
  await serveUntil(parentEnded);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  code = 1;
}
process.exit(code);
