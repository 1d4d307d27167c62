import { hostname } from 'node:os';
import { PrivateFileError } from './config/private-file.js';
import { readConfig } from './config/read-config.js';
import { EventStoreUnavailable } from './event-store/port.js';
import { StartupError } from './config/startup-error.js';
import type { Service, startService } from './service.js';

/** Requests under way get this long to be answered, in milliseconds; then the process just ends. */
const SHUTDOWN_TIMEOUT_MS = 10_000;

/** How a file or a package that is not there shows itself while modules are loaded. */
const MISSING: ReadonlySet<unknown> = new Set([
  'ENOENT',
  'MODULE_NOT_FOUND',
  'ERR_MODULE_NOT_FOUND',
]);

/** Why nothing can listen, and what to set otherwise. */
const SETTING_OF_LISTENING: ReadonlyMap<unknown, string> = new Map([
  ['EADDRINUSE', 'PORT'],
  ['EACCES', 'PORT'],
  ['EADDRNOTAVAIL', 'HOST'],
]);

async function main(): Promise<void> {
  const config = readConfig(process.env, hostname());
  if (!config.ok) {
    refuse(config.error.map(({ variable, detail }) => `${variable} ${detail}`));
    return;
  }
  let service: Service;
  try {
    // Only a process that may start loads the rest: a refusal is there at once.
    const start = await loadService();
    service = await start(config.value);
  } catch (error) {
    refuse(faultsOf(error));
    return;
  }
  const mode = config.value.mode === 'development' ? ' (development: local tokens only)' : '';
  process.stdout.write(
    `countersign listens on ${service.url}, docs at ${service.docsUrl}${mode}\n`,
  );
  // Ctrl-C reaches the whole group of processes, and whoever started this one may ask once more.
  let stopping: Promise<void> | undefined;
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => {
      stopping ??= stop(service);
    });
  }
}

/** What is imported is there in every checkout; a copy of it may lack a part. */
async function loadService(): Promise<typeof startService> {
  try {
    return (await import('./service.js')).startService;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (!MISSING.has(code)) throw error;
    const [line = ''] = message.split('\n');
    throw new StartupError([
      `${line}: a deployment needs dist, schemas, assets, node_modules and package.json side by side`,
    ]);
  }
}

async function stop(service: Service): Promise<void> {
  const timeout = setTimeout(() => process.exit(1), SHUTDOWN_TIMEOUT_MS);
  timeout.unref();
  await service.close();
  process.exit(0);
}

function refuse(faults: readonly string[]): void {
  process.stderr.write(
    `countersign does not start:\n${faults.map((fault) => `  - ${fault}\n`).join('')}`,
  );
  process.exitCode = 1;
}

/** Known faults in their own words; anything else is a bug and shows where it is. */
function faultsOf(error: unknown): readonly string[] {
  if (error instanceof StartupError) return error.faults;
  if (error instanceof PrivateFileError || error instanceof EventStoreUnavailable) {
    return [error.message];
  }
  const { code, message } = error as NodeJS.ErrnoException;
  const setting = SETTING_OF_LISTENING.get(code);
  if (setting !== undefined) return [`${message}: choose another ${setting}`];
  return [error instanceof Error ? (error.stack ?? message) : String(error)];
}

await main();
