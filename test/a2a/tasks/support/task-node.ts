import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { A2aConfig } from '../../../../src/config/hosted-agents.js';
import {
  openSqliteEventStore,
  type SqliteEventStore,
} from '../../../../src/event-store/sqlite/sqlite-event-store.js';
import { SqliteReadDatabase } from '../../../../src/projections/sqlite/sqlite-read-database.js';
import {
  createTasks,
  type TaskParts,
  type TaskService,
} from '../../../../src/a2a/tasks/tasks.providers.js';

/** One process's tasks on a store that it may share with others. */
export interface TaskNode extends TaskService {
  readonly store: SqliteEventStore;
  /** What was reported to operators. */
  readonly reports: readonly string[];
  close(): Promise<void>;
}

export interface NodeOptions extends Partial<
  Pick<TaskParts, 'clock' | 'resolve' | 'timing' | 'newId' | 'readWaitMs'>
> {
  readonly config?: Partial<A2aConfig>;
}

export const DAY = 86_400_000;

/** A folder with a task store, and the nodes that share it. */
export class TaskDeployment {
  readonly #nodes: TaskNode[] = [];

  private constructor(readonly folder: string) {}

  static async open(): Promise<TaskDeployment> {
    return new TaskDeployment(await mkdtemp(join(tmpdir(), 'countersign-tasks-')));
  }

  get storePath(): string {
    return join(this.folder, 'tasks.db');
  }

  readModelPath(node: string): string {
    return join(this.folder, `tasks-${node}-views.db`);
  }

  async node(name = 'node-a', options: NodeOptions = {}): Promise<TaskNode> {
    const node = await openTaskNode(this.storePath, this.readModelPath(name), name, options);
    this.#nodes.push(node);
    return node;
  }

  async closeNodes(): Promise<void> {
    for (const node of this.#nodes) await node.close();
  }

  async dispose(): Promise<void> {
    await this.closeNodes();
    await rm(this.folder, { recursive: true });
  }
}

export async function openTaskNode(
  storePath: string,
  readModelPath: string,
  name: string,
  { config, clock = Date.now, newId = randomUUID, ...rest }: NodeOptions = {},
): Promise<TaskNode> {
  const store = await openSqliteEventStore(storePath, { pollMs: 10 });
  const database = new SqliteReadDatabase(readModelPath);
  const reports: string[] = [];
  const service = await createTasks({
    store,
    database,
    config: { taskRetentionMs: DAY, allowLoopbackWebhooks: true, ...config },
    node: name,
    readWaitMs: 5000,
    clock,
    random: randomBytes,
    newId,
    report: (line, about) => reports.push(`${line} ${String(about['error'] ?? '')}`),
    resolve: () => Promise.resolve([]),
    ...rest,
  });
  let closing: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    await service.close();
    database.close();
    await store.close();
  };
  return { ...service, store, reports, close: () => (closing ??= close()) };
}
