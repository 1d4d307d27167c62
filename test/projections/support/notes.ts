import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EventTypes } from '../../../src/event-store/codec.js';
import type { NewEnvelope } from '../../../src/kernel/envelope.js';
import type { KeyStore } from '../../../src/event-store/key-store.js';
import type { EventStore, Position } from '../../../src/event-store/port.js';
import { seal } from '../../../src/event-store/sealing.js';
import { canonicalJson } from '../../../src/kernel/canonical-json.js';
import { openSqliteEventStore } from '../../../src/event-store/sqlite/sqlite-event-store.js';
import { openSqliteKeyStore } from '../../../src/event-store/sqlite/sqlite-key-store.js';
import type { DomainEvent } from '../../../src/kernel/event.js';
import { timestampOf } from '../../../src/kernel/timestamp.js';
import type { ProjectedEvent, Projection } from '../../../src/projections/port.js';
import { ProjectionRunner } from '../../../src/projections/projection-runner.js';
import type { ProjectionRunnerOptions } from '../../../src/projections/runner-options.js';
import { SqliteReadDatabase } from '../../../src/projections/sqlite/sqlite-read-database.js';

/** A small context of its own: notes that are written, with a text, and struck out. */
export type NoteEvent =
  | DomainEvent<'note-written', { readonly author: string }, { readonly text: string }>
  | DomainEvent<'note-struck', { readonly author: string }, null>;

const NOTE_TYPES: EventTypes<NoteEvent> = {
  'note-written': { schemaVersion: 1 },
  'note-struck': { schemaVersion: 1 },
};

/** One row per event, in the order of their application. */
export function noteLog(
  name: string,
  change: {
    readonly version?: number;
    readonly before?: (event: ProjectedEvent<NoteEvent>) => unknown;
  } = {},
): Projection<NoteEvent> {
  const table = name.replaceAll('-', '_');
  return {
    name,
    version: change.version ?? 1,
    streamPrefixes: ['note-'],
    takes: { 'note-written': 'texts', 'note-struck': 'data' },
    reset(db) {
      db.exec(`DROP TABLE IF EXISTS ${table};
        CREATE TABLE ${table} (seq INTEGER PRIMARY KEY AUTOINCREMENT, stream TEXT, revision INTEGER,
          text TEXT)`);
    },
    apply(db, event) {
      const text =
        event.type === 'note-struck'
          ? '(struck)'
          : event.texts === 'erased'
            ? '(erased)'
            : event.texts.text;
      db.prepare(`INSERT INTO ${table} (stream, revision, text) VALUES (?, ?, ?)`).run(
        event.stream,
        event.revision,
        text,
      );
      // After the row: what a failing handler has already written must be undone.
      return change.before?.(event) as undefined;
    },
  };
}

/** Files of one node: a log with its keys, and a read database. */
export class Node {
  readonly reports: string[] = [];
  readonly #runners: { runner: ProjectionRunner; database: SqliteReadDatabase }[] = [];

  private constructor(
    readonly folder: string,
    readonly store: EventStore,
    readonly keys: KeyStore,
  ) {}

  static async make(folder = mkdtempSync(join(tmpdir(), 'projections-'))): Promise<Node> {
    const store = await openSqliteEventStore(join(folder, 'events.db'), { pollMs: 10 });
    const keys = await openSqliteKeyStore(join(folder, 'keys.db'), { randomBytes });
    return new Node(folder, store, keys);
  }

  get readFile(): string {
    return join(this.folder, 'read.db');
  }

  /** A started runner over this node's read database. */
  run(
    projections: readonly Projection<NoteEvent>[],
    options: Partial<ProjectionRunnerOptions> = {},
  ): ProjectionRunner {
    const database = new SqliteReadDatabase(this.readFile);
    const runner = new ProjectionRunner({
      store: this.store,
      keys: this.keys,
      types: NOTE_TYPES,
      database,
      projections: projections,
      clock: Date.now,
      report: (line) => this.reports.push(line),
      retryDelaysMs: [5, 10],
      backoffMs: [10, 50],
      ...options,
    });
    this.#runners.push({ runner, database });
    runner.start();
    return runner;
  }

  /** Ends the runners, as a shutdown does, and closes their database. */
  async halt(): Promise<void> {
    for (const { runner, database } of this.#runners.splice(0)) {
      await runner.stop();
      database.close();
    }
  }

  async close(): Promise<void> {
    await this.halt();
    await this.store.close();
    await this.keys.close();
    rmSync(this.folder, { recursive: true });
  }

  async write(stream: string, revision: number, text: string): Promise<Position> {
    return this.append(stream, revision, 'note-written', { text });
  }

  /** Several notes, as one command records them. */
  async writeTogether(
    stream: string,
    revision: number,
    notes: readonly string[],
  ): Promise<Position> {
    const commandId = randomUUID();
    const written = notes.map((text) =>
      this.#envelope(stream, 'note-written', { text }, commandId),
    );
    return this.#append(stream, revision, await Promise.all(written));
  }

  async strike(stream: string, revision: number): Promise<Position> {
    return this.append(stream, revision, 'note-struck', null);
  }

  async append(
    stream: string,
    revision: number,
    type: string,
    texts: object | null,
  ): Promise<Position> {
    return this.#append(stream, revision, [await this.#envelope(stream, type, texts)]);
  }

  async #envelope(
    stream: string,
    type: string,
    texts: object | null,
    commandId?: string,
  ): Promise<NewEnvelope> {
    const id = randomUUID();
    let sealed: NewEnvelope['sealed'] = null;
    if (texts !== null) {
      const key = await this.keys.obtain(stream);
      if (key === 'erased') throw new Error('erased');
      sealed = seal(canonicalJson(texts), key, randomBytes(12), { stream, id, type });
    }
    return {
      id,
      type,
      recordedAt: timestampOf(Date.now()),
      schemaVersion: 1,
      data: { author: 'a' },
      sealed,
      salt: randomBytes(16).toString('base64url'),
      metadata: {
        commandId: commandId ?? id,
        requestDigest: '',
        actor: { principal: 'p', agent: null, tenant: 't' },
        correlationId: id,
        causationId: null,
        traceparent: null,
        basedOn: {},
      },
    };
  }

  async #append(
    stream: string,
    revision: number,
    events: readonly NewEnvelope[],
  ): Promise<Position> {
    const expected = revision === 0 ? 'no-stream' : revision - 1;
    const appended = await this.store.append(stream, expected, events);
    if (!appended.ok) throw new Error(`conflict: ${JSON.stringify(appended.error)}`);
    return appended.value.position;
  }
}

export interface NoteRow {
  readonly stream: string;
  readonly revision: number;
  readonly text: string;
}

export function notesIn(runner: ProjectionRunner, name: string): NoteRow[] {
  const table = name.replaceAll('-', '_');
  return runner.prepare<NoteRow>(`SELECT stream, revision, text FROM ${table} ORDER BY seq`).all();
}
