import { CheckpointFile } from '../audit/log/checkpoint-file.js';
import { CheckpointSigner } from '../audit/log/checkpoint-signer.js';
import type { CheckpointSigning } from '../audit/log/checkpoint-signing.js';
import { CheckpointWriter } from '../audit/log/checkpoint-writer.js';
import { Cosigning } from '../audit/log/cosigning.js';
import { PublishedLog } from '../audit/log/published-log.js';
import { transparencyLogHealth } from '../audit/log/transparency-log-health.js';
import { TreeThread } from '../audit/log/tree-thread.js';
import { TreeView } from '../audit/log/tree-view.js';
import type { Config } from '../config/config.js';
import { StartupError } from '../config/startup-error.js';
import type { RandomBytes } from '../event-store/command-execution.js';
import type { EventStore } from '../event-store/port.js';
import { logFault, logReport } from '../http/fault-log.js';
import { logOrigin } from '../kernel/checkpoint.js';
import type { HealthSource } from '../http/health/health-source.js';
import type { ReadDatabase } from '../projections/read-database.js';
import { startThread } from '../threads/start-thread.js';
import type { LogTreeWorkerData } from './log-tree-worker-data.js';
import { openReadDatabase } from './open-read-database.js';
import type { Opened } from './opened.js';

/** The signer waits so long for the tree to reach the head, in milliseconds; then the next turn. */
const CATCH_UP_MS = 5_000;

/** The transparency log of a running node. */
export interface TransparencyLogParts {
  readonly log: PublishedLog;
  readonly cosigning: Cosigning;
  readonly health: HealthSource;
  /** Begins to sign. Not before the node listens: what was signed once binds its data folder for ever. */
  readonly start: () => void;
}

/**
 * Opens the tree. Whatever is wrong with it keeps no node from starting, and is told by its health.
 * @throws {StartupError} when another process has it, or this node was the one of another log
 */
export async function openTransparencyLog(
  config: Config,
  store: EventStore,
  keyring: CheckpointSigning,
  random: RandomBytes,
  opened: Opened,
): Promise<TransparencyLogParts> {
  const {
    tree: location,
    checkpointFile,
    checkpointIntervalMs,
    witnesses,
  } = config.transparencyLog;
  const origin = logOrigin(config.publicBaseUrl);
  const file = new CheckpointFile(checkpointFile);
  await refuseOtherLog(file, origin);
  const database = await openReadDatabase('LOG_TREE', location.path, opened);
  const workerData: LogTreeWorkerData = {
    eventStore: config.eventStore,
    treePath: location.path,
    checkpointFile,
    origin,
  };
  const thread = new TreeThread({
    start: () => startThread('./log-tree-worker', import.meta.url, { workerData }),
    onFailure: (error) => {
      logFault(error, 'log-tree');
      if (isDamage(error) || database.isMoved) replace(database);
    },
  });
  opened.onClose(() => thread.close());
  const tree = new TreeView(database, (fault) => {
    thread.fail(fault);
  });
  const writer = new CheckpointWriter(store, Date.now, random);
  const catchUp = async () => await thread.reaches(await store.head(), CATCH_UP_MS);
  const signer = new CheckpointSigner({
    origin,
    tree,
    file,
    writer,
    key: () => keyring.checkpointKey(),
    catchUp,
    proven: () => thread.progress.proven,
    clock: Date.now,
    report: logReport,
    intervalMs: checkpointIntervalMs,
  });
  opened.onClose(async () => {
    const stopped = signer.stop();
    // The signer's turn waits for the tree: for one that stands still only until its thread is closed.
    if (thread.progress.stalled !== null) await thread.close();
    await stopped;
  });
  const log = new PublishedLog(origin, tree, thread, signer);
  const cosigning = new Cosigning({ witnesses, tree, writer, catchUp, clock: Date.now });
  return {
    log,
    cosigning,
    health: transparencyLogHealth(tree, thread, signer),
    start: () => {
      signer.start();
    },
  };
}

/** The log's name, which its checkpoints carry, follows from the public base URL. */
async function refuseOtherLog(file: CheckpointFile, origin: string): Promise<void> {
  // What cannot be read is a matter of the log's health.
  const kept = await file.read().catch(() => undefined);
  if (kept === undefined || kept.checkpoint.origin === origin) return;
  throw new StartupError([
    `${file.path}: this node has signed the log ${kept.checkpoint.origin}, and with this public base URL ` +
      `it would be ${origin}: set PUBLIC_BASE_URL to what it was (unset, it follows from HOST and ` +
      'PORT), or name another DATA_FOLDER',
  ]);
}

/** When it fails, whoever reads the tree next meets damage, and it is tried again. */
function replace(database: ReadDatabase): void {
  try {
    database.replace();
  } catch (error) {
    logFault(error, 'log-tree');
  }
}

/** By its name: what a thread throws comes as a copy that has lost its class. */
function isDamage(error: unknown): boolean {
  const { name } = Object(error) as { readonly name?: unknown };
  return name === 'ReadDatabaseDamaged';
}
