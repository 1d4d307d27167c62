import { createPrivateKey, generateKeyPairSync, randomBytes, randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { CheckpointFile } from '../../../../src/audit/log/checkpoint-file.js';
import { CheckpointSigner, type SignerState } from '../../../../src/audit/log/checkpoint-signer.js';
import { CheckpointWriter } from '../../../../src/audit/log/checkpoint-writer.js';
import type { CheckpointKey } from '../../../../src/audit/log/checkpoint-signing.js';
import { Cosigning } from '../../../../src/audit/log/cosigning.js';
import { LogTree } from '../../../../src/audit/log/log-tree.js';
import { TreeFollower } from '../../../../src/audit/log/tree-follower.js';
import type { TreeProgress } from '../../../../src/audit/log/tree-progress.js';
import { TreeView } from '../../../../src/audit/log/tree-view.js';
import { START, type EventStore } from '../../../../src/event-store/port.js';
import { openSqliteEventStore } from '../../../../src/event-store/sqlite/sqlite-event-store.js';
import { signEd25519, type Ed25519Jwk } from '../../../../src/kernel/ed25519.js';
import type { NewEnvelope } from '../../../../src/kernel/envelope.js';
import type { KeyId } from '../../../../src/kernel/ids.js';
import type { NoteKey } from '../../../../src/kernel/note-key.js';
import type { Clock, Timestamp } from '../../../../src/kernel/timestamp.js';
import { SqliteReadDatabase } from '../../../../src/projections/sqlite/sqlite-read-database.js';
import { eventually } from '../../../support/eventually.js';

export const ORIGIN = 'countersign.example/log';

export function makeKey(keyId: string): CheckpointKey {
  const { privateKey } = generateKeyPairSync('ed25519');
  const { x = '' } = privateKey.export({ format: 'jwk' });
  const jwk: Ed25519Jwk = { kty: 'OKP', crv: 'Ed25519', x };
  const key = createPrivateKey(privateKey.export({ format: 'pem', type: 'pkcs8' }));
  return { keyId: keyId as KeyId, jwk, sign: (text) => signEd25519(key, text) };
}

export interface LogNodeOptions {
  readonly key?: CheckpointKey | undefined;
  readonly origin?: string;
  readonly witnesses?: readonly NoteKey[];
  /** Between two checkpoints. */
  readonly intervalMs?: number;
  /** Asked at each look; that of the machine when not given. */
  readonly clock?: Clock;
  readonly monotonic?: Clock;
  /** What stands between the node and its store. */
  readonly through?: (store: EventStore) => EventStore;
  /** Opens the log, where it is not `events.db`. */
  readonly log?: () => Promise<EventStore>;
  /** Which keeps the log. */
  readonly engine?: string;
}

/** The tree, the signer and the store of one node, in this thread. */
export class LogNode {
  progress: TreeProgress = { position: START, stalled: null, proven: null, isContradicted: false };
  readonly reports: string[] = [];

  private constructor(
    readonly store: EventStore,
    readonly database: SqliteReadDatabase,
    readonly tree: TreeView,
    readonly signer: CheckpointSigner,
    readonly file: CheckpointFile,
    readonly cosigning: Cosigning,
    private readonly follower: () => TreeFollower,
    private readonly running: () => Promise<void>,
  ) {}

  /** Over `events.db` of a folder, with a tree and a checkpoint file of its own name. */
  static async open(folder: string, name: string, options: LogNodeOptions = {}): Promise<LogNode> {
    const { origin = ORIGIN, key, witnesses = [], through = (store) => store } = options;
    const { clock = Date.now, monotonic = () => performance.now() } = options;
    const { log = () => openSqliteEventStore(join(folder, 'events.db'), { pollMs: 5 }) } = options;
    const store = through(await log());
    const database = new SqliteReadDatabase(treeFile(folder, name));
    const written = new LogTree(database, origin, options.engine ?? 'sqlite');
    const view = new TreeView(database);
    const file = new CheckpointFile(join(folder, `${name}-checkpoint`));
    const writer = new CheckpointWriter(store, clock, randomBytes);
    const self: { node?: LogNode } = {};
    const catchUp = () => self.node?.catchUp() ?? Promise.resolve(false);
    const signer = new CheckpointSigner({
      origin,
      tree: view,
      file,
      writer,
      key: () => Promise.resolve(key),
      catchUp,
      proven: () => self.node?.progress.proven ?? null,
      clock,
      monotonic,
      report: (line, { fault }) => self.node?.reports.push(`${line}: ${String(fault)}`),
      intervalMs: options.intervalMs ?? 20,
      leastIntervalMs: 1,
    });
    const follower = new TreeFollower({
      store,
      tree: written,
      view,
      kept: file,
      origin,
      report: () => undefined,
      onProgress: (progress) => {
        if (self.node !== undefined) self.node.progress = progress;
      },
      restMs: 5,
      batchSize: 7,
      backoffMs: [5, 20],
    });
    const cosigning = new Cosigning({ witnesses, tree: view, writer, catchUp, clock });
    let running: Promise<void> = Promise.resolve();
    const node = new LogNode(
      store,
      database,
      view,
      signer,
      file,
      cosigning,
      () => follower,
      () => running,
    );
    self.node = node;
    running = follower.run();
    return node;
  }

  async catchUp(): Promise<boolean> {
    const head = await this.store.head();
    const until = Date.now() + 2_000;
    while (Date.now() < until) {
      if (this.progress.isContradicted) return false;
      if (this.progress.position >= head && this.progress.stalled === null) return true;
      this.follower().wake();
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    return false;
  }

  /** Starts the signer and waits until it is in a state. */
  async signs(state: SignerState = 'signing'): Promise<void> {
    this.signer.start();
    await eventually(() => this.signer.health.state === state);
  }

  async close(): Promise<void> {
    await this.signer.stop();
    this.follower().stop();
    await this.running();
    this.database.close();
    await this.store.close();
  }
}

function treeFile(folder: string, name: string): string {
  return join(folder, `${name}-tree.db`);
}

export function deleteTree(folder: string, name: string): void {
  for (const suffix of ['', '-wal', '-shm']) {
    rmSync(treeFile(folder, name) + suffix, { force: true });
  }
}

function audited(text: string): NewEnvelope {
  const id = randomUUID();
  return {
    id,
    type: 'agent-registered',
    recordedAt: '2030-01-01T00:00:00.000Z' as Timestamp,
    schemaVersion: 1,
    data: { text },
    sealed: null,
    salt: randomBytes(16).toString('base64url'),
    metadata: {
      commandId: id,
      requestDigest: 'EixzToIN05H7uwySM9C3emWArSgZSAnmXZg5DZAxVsw',
      actor: { principal: 'owner', agent: null, tenant: 'tenant' },
      correlationId: id,
      causationId: null,
      traceparent: null,
      basedOn: {},
    },
  };
}

/** Appends one event to each of so many new streams. */
export async function append(store: EventStore, count: number, prefix = 'agent-'): Promise<void> {
  for (let index = 0; index < count; index++) {
    await store.append(`${prefix}${randomUUID()}`, 'no-stream', [audited(String(index))]);
  }
}
