import { randomBytes, randomUUID } from 'node:crypto';
import { createTasks, type TaskService } from '../a2a/tasks/tasks.providers.js';
import type { Config } from '../config/config.js';
import { logReport } from '../http/fault-log.js';
import { openTaskStore } from './open-event-store.js';
import { openReadDatabase } from './open-read-database.js';
import type { Opened } from './opened.js';

/** Opens the tasks' own store, and the view of it. */
export async function openTasks(
  { a2a, nodeId, readWaitMs }: Config,
  opened: Opened,
): Promise<TaskService> {
  const store = await openTaskStore(a2a.taskStore);
  opened.onClose(() => store.close());
  const database = await openReadDatabase('TASK_READ_MODEL', a2a.taskReadModelPath, opened);
  const service = await createTasks({
    store,
    engine: a2a.taskStore.engine,
    database,
    config: a2a,
    node: nodeId,
    readWaitMs,
    clock: Date.now,
    random: randomBytes,
    newId: randomUUID,
    report: logReport,
  });
  opened.onClose(() => service.close());
  return service;
}
