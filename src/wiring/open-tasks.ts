import { randomBytes, randomUUID } from 'node:crypto';
import { createTasks, type TaskService } from '../a2a/tasks/tasks.providers.js';
import type { Config } from '../config/config.js';
import { WatchedTaskStore } from '../event-store/watched-event-store.js';
import { logReport } from '../http/fault-log.js';
import type { HealthSource } from '../http/health/health-source.js';
import { eventStoreHealth, projectionsHealth } from '../http/health/sources.js';
import { openTaskStore } from './open-event-store.js';
import { openReadDatabase } from './open-read-database.js';
import type { Opened } from './opened.js';

export interface OpenedTasks {
  readonly service: TaskService;
  /** Of the store, and of its views. */
  readonly health: readonly HealthSource[];
}

/** Opens the tasks' own store, and the view of it. */
export async function openTasks(
  { a2a, nodeId, readWaitMs }: Config,
  opened: Opened,
): Promise<OpenedTasks> {
  const store = new WatchedTaskStore(await openTaskStore(a2a.taskStore), Date.now);
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
  return {
    service,
    health: [
      eventStoreHealth(store, a2a.taskStore.engine, 'task-store'),
      projectionsHealth('tasks', service.projections),
    ],
  };
}
