import type { A2aConfig } from '../../config/hosted-agents.js';
import type { RandomBytes } from '../../event-store/command-execution.js';
import type { DeletableEventStore } from '../../event-store/port.js';
import { chanceOf } from '../../kernel/chance.js';
import { hashJson } from '../../kernel/digest.js';
import type { Reporter } from '../../kernel/reporter.js';
import { timestampOf, type Clock } from '../../kernel/timestamp.js';
import { LeaseAndCheckpoint } from '../../processes/lease-and-checkpoint.js';
import { ProjectionRunner } from '../../projections/projection-runner.js';
import type { ReadDatabase } from '../../projections/read-database.js';
import { taskDirectory } from './directory/projection.js';
import { TaskDirectory } from './directory/task-directory.js';
import { TaskList } from './directory/task-list.js';
import type { NewId } from './domain/decide.js';
import { DurableTasks } from './durable-tasks.js';
import { taskEnvelope } from './envelopes.js';
import { TASK_EVENT_TYPES, WEBHOOK_EVENT_TYPES } from './event-types.js';
import { Keeping } from './keeping.js';
import { NO_KEYS } from './no-keys.js';
import type { PushConfigs, Tasks } from './port.js';
import { TaskFeed } from './task-feed.js';
import { taskKeepers, voidingIn, type TurnLedger } from './task-keepers.js';
import { TaskRecovery } from './task-recovery.js';
import { TaskShowing } from './task-showing.js';
import { TaskStreams } from './task-streams.js';
import { TaskSweeper } from './task-sweeper.js';
import { TaskWriter } from './task-writer.js';
import { DurablePushConfigs } from './webhooks/durable-push-configs.js';
import { resolveHost } from './webhooks/resolve-host.js';
import type { RetryTiming } from './webhooks/retry-timing.js';
import { WebhookProgressStreams } from './webhooks/webhook-progress-streams.js';
import { WebhookSender } from './webhooks/webhook-sender.js';
import { WebhookTeller } from './webhooks/webhook-teller.js';
import type { ResolveHost } from './webhooks/webhook-target.js';

const LEASE_MS = 30_000;

/** What durable tasks are made of. The caller opens store and database, and closes them afterwards. */
export interface TaskParts {
  /** Of `taskStore`: an instance of its own, outside of the audited log. */
  readonly store: DeletableEventStore;
  /** What keeps it. */
  readonly engine?: string;
  /** Of `taskReadModelPath`, locked for this process. */
  readonly database: ReadDatabase;
  readonly config: Pick<A2aConfig, 'taskRetentionMs' | 'allowLoopbackWebhooks'>;
  /** NODE_ID: the same after a restart, different on every node. */
  readonly node: string;
  /** Longest wait of a list for the newest tasks, in milliseconds. */
  readonly readWaitMs: number;
  readonly clock: Clock;
  readonly random: RandomBytes;
  readonly newId: NewId;
  readonly report: Reporter;
  /** Default: the name servers of the system. */
  readonly resolve?: ResolveHost;
  readonly timing?: Partial<RetryTiming>;
}

/** Durable tasks as a node uses them. */
export interface TaskService {
  readonly tasks: Tasks;
  readonly pushConfigs: PushConfigs;
  readonly recovery: TaskRecovery;
  readonly sweeper: TaskSweeper;
  /** The second runner, for its health. */
  readonly projections: ProjectionRunner;
  /**
   * Begins to keep tasks and the invocations of their turns: recovery, retention, webhooks. Tasks can
   * be used before.
   */
  start(ledger: TurnLedger): void;
  /** Ends watchers and keepers. Before the store is closed. */
  close(): Promise<void>;
}

/** Makes durable tasks over an open store; its views catch up in the background. */
export async function createTasks(parts: TaskParts): Promise<TaskService> {
  const { store, database, config, node, clock, random, newId, report, timing } = parts;
  await found(parts);
  const projections = new ProjectionRunner({
    store,
    engine: parts.engine ?? '',
    keys: NO_KEYS,
    types: { ...TASK_EVENT_TYPES, ...WEBHOOK_EVENT_TYPES },
    database,
    projections: [taskDirectory],
    clock,
    report,
  });
  const feed = new TaskFeed(store, report);
  const streams = new TaskStreams(store, clock, newId, (id) => {
    feed.ring(id);
  });
  const writer = new TaskWriter(streams);
  const directory = new TaskDirectory(projections, database);
  const progress = new WebhookProgressStreams(store, clock, newId);
  const rules = {
    resolve: parts.resolve ?? resolveHost,
    allowLoopback: config.allowLoopbackWebhooks,
  };
  const showing = new TaskShowing(writer);
  const list = new TaskList({
    store,
    readModel: projections,
    streams,
    directory,
    showing,
    clock,
    waitMs: parts.readWaitMs,
  });
  const tasks = new DurableTasks(streams, writer, feed, list, showing, newId);
  const { taskRetentionMs: retentionMs } = config;
  const recovery = new TaskRecovery(streams, writer, directory, clock, newId, retentionMs, report);
  const sweeper = new TaskSweeper({ store, streams, progress, directory, clock, retentionMs });
  const sender = new WebhookSender({
    directory,
    teller: new WebhookTeller(streams, progress, rules, clock),
    lease: new LeaseAndCheckpoint({ name: 'task-webhooks', node, clock, random }, LEASE_MS, store),
    clock,
    chance: chanceOf(random),
    report,
    ...(timing === undefined ? {} : { timing }),
  });
  const keepers = { recovery, streams, sweeper, clock, report };
  const keeping = new Keeping(projections);
  projections.start();
  return {
    tasks,
    pushConfigs: new DurablePushConfigs(tasks, writer, rules, newId),
    recovery,
    sweeper,
    projections,
    start: (ledger) => {
      tasks.whenHoldCanceled(voidingIn(ledger, report));
      keeping.start([...taskKeepers(keepers, ledger), sender]);
    },
    close: async () => {
      await keeping.stop();
      await feed.close();
      await projections.stop();
    },
  };
}

/**
 * The store's first event, which is never deleted: by it the views tell this log from another, which
 * they could not by a task.
 */
async function found({ store, clock, newId }: TaskParts): Promise<void> {
  const id = newId();
  const event = { type: 'task-store-founded', schemaVersion: 1, data: {} };
  const envelope = taskEnvelope(id, event, {
    commandId: id,
    requestDigest: hashJson(event.data),
    actor: { principal: 'process:task-store', agent: null, tenant: null },
    correlationId: id,
    recordedAt: timestampOf(clock()),
  });
  // A conflict says that it was founded before.
  await store.append('store', 'no-stream', [envelope]);
}
