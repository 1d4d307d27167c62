import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Worker } from 'node:worker_threads';
import { randomBytes } from 'node:crypto';
import type { PublishedLog } from '../../../../src/audit/log/published-log.js';
import type { HealthStatus } from '../../../../src/http/health/health-source.js';
import { RejectionException } from '../../../../src/http/rejection-exception.js';
import { readConfig } from '../../../../src/config/read-config.js';
import type { EventStore } from '../../../../src/event-store/port.js';
import { isDatabaseFault } from '../../../../src/projections/read-database.js';
import { openEventStore } from '../../../../src/wiring/open-event-store.js';
import { openTransparencyLog } from '../../../../src/wiring/open-transparency-log.js';
import { Opened } from '../../../../src/wiring/opened.js';
import { eventually } from '../../../support/eventually.js';
import { makeKey } from './log-node.js';

const key = makeKey('checkpoint-1');
const PATIENCE_MS = 25_000;

interface ThreadedLogOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** Between two checkpoints. */
  readonly intervalMs?: number;
}

/** The transparency log of a node as the service opens it: its tree grows in a thread of its own. */
export class ThreadedLog {
  /** Threads so far, the newest last. */
  readonly threads: Worker[] = [];
  readonly #opened = new Opened();
  readonly #note = (message: unknown): void => {
    this.threads.push((message as { worker: Worker }).worker);
  };

  store!: EventStore;
  log!: PublishedLog;
  #health!: () => Promise<HealthStatus> | HealthStatus;

  static async open(
    folder: string,
    { env = {}, intervalMs = 50 }: ThreadedLogOptions = {},
  ): Promise<ThreadedLog> {
    const config = readConfig(
      {
        COUNTERSIGN_DEV: '1',
        DATA_FOLDER: folder,
        PUBLIC_BASE_URL: 'https://countersign.example',
        ...env,
      },
      'test-host',
    );
    if (!config.ok) throw new Error(JSON.stringify(config.error));
    const { value } = config;
    const node = new ThreadedLog();
    subscribe('worker_threads', node.#note);
    node.store = await openEventStore(value.eventStore);
    node.#opened.onClose(() => node.store.close());
    const { log, health, start } = await openTransparencyLog(
      { ...value, transparencyLog: { ...value.transparencyLog, checkpointIntervalMs: intervalMs } },
      node.store,
      { checkpointKey: () => Promise.resolve(key), keys: () => Promise.resolve(new Map()) },
      randomBytes,
      node.#opened,
    );
    node.log = log;
    node.#health = () => health.check();
    start();
    return node;
  }

  async health(): Promise<HealthStatus> {
    return this.#health();
  }

  /** Waits until a checkpoint of a tree of this size is published, and the node says that all is well. */
  async published(size: number): Promise<void> {
    await eventually(async () => {
      try {
        if ((await this.log.checkpoint())?.size !== size) return false;
        const { details } = await this.health();
        return details['stalled'] === null && this.#isSigning(details);
      } catch (error) {
        // Answered with 503, as long as it takes.
        if (isDatabaseFault(error) || error instanceof RejectionException) return false;
        throw error;
      }
    }, PATIENCE_MS);
  }

  /** Waits until the details of the health say something. */
  async says(what: RegExp): Promise<void> {
    await eventually(
      async () => what.test(JSON.stringify((await this.health()).details)),
      PATIENCE_MS,
    );
  }

  async close(): Promise<void> {
    await this.#opened.close();
    unsubscribe('worker_threads', this.#note);
  }

  #isSigning({ signer }: HealthStatus['details']): boolean {
    return (signer as { state: string }).state === 'signing';
  }
}
