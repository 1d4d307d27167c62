import { parentPort, workerData } from 'node:worker_threads';
import { CheckpointFile } from '../audit/log/checkpoint-file.js';
import { LogRecheck } from '../audit/log/log-recheck.js';
import { LogTree } from '../audit/log/log-tree.js';
import { TreeFollower } from '../audit/log/tree-follower.js';
import type { TreeOrder } from '../audit/log/tree-progress.js';
import { TreeView } from '../audit/log/tree-view.js';
import { logReport } from '../http/fault-log.js';
import { SqliteReadDatabase } from '../projections/sqlite/sqlite-read-database.js';
import type { LogTreeWorkerData } from './log-tree-worker-data.js';
import { openEventStore } from './open-event-store.js';

/** The thread in which the tree grows; a throw in here ends it, and the service starts another. */
const { eventStore, treePath, checkpointFile, origin } = workerData as LogTreeWorkerData;
const store = await openEventStore(eventStore);
const database = new SqliteReadDatabase(treePath);
const tree = new LogTree(database, origin, eventStore.engine);
const view = new TreeView(database);
const follower = new TreeFollower({
  store,
  tree,
  view,
  kept: new CheckpointFile(checkpointFile),
  origin,
  report: logReport,
  onProgress: (progress) => parentPort?.postMessage(progress),
});

const recheck = new LogRecheck({
  store,
  tree: view,
  onDifference: (difference) => {
    follower.fail(difference);
  },
  report: logReport,
});
const stopping = new AbortController();

parentPort?.on('message', (order: TreeOrder) => {
  if (order === 'wake') follower.wake();
  else {
    stopping.abort();
    follower.stop();
  }
});

const rechecking = recheck.run(stopping.signal);
try {
  await follower.run();
} finally {
  stopping.abort();
  await rechecking;
  await store.close();
  database.close();
  parentPort?.close();
}
