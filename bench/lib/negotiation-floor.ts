import { randomUUID, type KeyObject, sign, verify } from 'node:crypto';
import { join } from 'node:path';
import Database from 'better-sqlite3';

/** The floor groups this many rows' owners into one transaction, as the store does. */
const BATCH = 64;

export interface FloorKeys {
  readonly alpha: { readonly privateKey: KeyObject; readonly publicKey: KeyObject };
  readonly beta: { readonly privateKey: KeyObject; readonly publicKey: KeyObject };
  readonly platform: KeyObject;
}

type Row = [stream: string, revision: number, type: string, id: string, body: string];

/** One flow as the service stored it: what each of its appends wrote. */
export interface StoredFlow {
  readonly schema: string;
  readonly keySchema: string;
  readonly appends: readonly (readonly Row[])[];
}

/** Reads the newest whole flow of a running service: propose, then accept with its attestation. */
export function readStoredFlow(dataFolder: string): StoredFlow {
  const events = new Database(join(dataFolder, 'events.db'), { readonly: true });
  const keys = new Database(join(dataFolder, 'keys.db'), { readonly: true });
  try {
    const stream = events
      .prepare("SELECT stream FROM events WHERE type = 'revision-attested' ORDER BY position DESC")
      .pluck()
      .get() as string;
    const rows = events
      .prepare(
        'SELECT stream, revision, type, id, body FROM events WHERE stream = ? ORDER BY revision',
      )
      .raw()
      .all(stream) as Row[];
    return {
      schema: schemaOf(events, 'events'),
      keySchema: schemaOf(keys, 'keys'),
      appends: [rows.slice(0, 1), rows.slice(1)],
    };
  } finally {
    events.close();
    keys.close();
  }
}

function schemaOf(database: Database.Database, table: string): string {
  return database
    .prepare('SELECT sql FROM sqlite_schema WHERE name = ?')
    .pluck()
    .get(table) as string;
}

/** What the floor's time went into, in microseconds per flow. */
export interface FloorResult {
  readonly flows: number;
  readonly seconds: number;
  readonly signing: number;
  readonly verifying: number;
  readonly storing: number;
}

/**
 * The unavoidable work of the same flows, and nothing else, in one process: three signatures (two
 * acceptances, one attestation), two verifications, the data key's row and the events' rows, flushed
 * in transactions of 64.
 */
export class NegotiationFloor {
  readonly #events: Database.Database;
  readonly #keys: Database.Database;
  readonly #insert: Database.Statement<Row>;
  readonly #insertKey: Database.Statement<[string, Buffer]>;

  constructor(
    folder: string,
    private readonly flow: StoredFlow,
    private readonly signers: FloorKeys,
    /** As long as the statements that the agents sign, and as the attested digest. */
    private readonly texts: { readonly statement: string; readonly digest: string },
  ) {
    this.#events = openLikeTheStore(join(folder, 'floor-events.db'), flow.schema);
    this.#keys = openLikeTheStore(join(folder, 'floor-keys.db'), flow.keySchema);
    this.#insert = this.#events.prepare<Row>(
      'INSERT INTO events (stream, revision, type, id, body) VALUES (?, ?, ?, ?, ?)',
    );
    this.#insertKey = this.#keys.prepare<[string, Buffer]>(
      'INSERT INTO keys (scope, key) VALUES (?, ?)',
    );
  }

  run(milliseconds: number): FloorResult {
    const started = performance.now();
    const end = started + milliseconds;
    const spent = { signing: 0, verifying: 0, storing: 0 };
    let flows = 0;
    let mark = started;
    const lap = (part: keyof typeof spent): void => {
      const now = performance.now();
      spent[part] += now - mark;
      mark = now;
    };
    while (performance.now() < end) {
      mark = performance.now();
      const signatures = Array.from({ length: BATCH }, () => this.#sign());
      lap('signing');
      for (const signed of signatures) this.#verify(signed);
      lap('verifying');
      this.#store();
      lap('storing');
      flows += BATCH;
    }
    const seconds = (performance.now() - started) / 1000;
    const perFlow = (part: number): number => (part * 1000) / flows;
    return {
      flows,
      seconds,
      signing: perFlow(spent.signing),
      verifying: perFlow(spent.verifying),
      storing: perFlow(spent.storing),
    };
  }

  close(): void {
    this.#events.close();
    this.#keys.close();
  }

  #sign(): { text: Buffer; alpha: Buffer; beta: Buffer } {
    const text = Buffer.from(this.texts.statement);
    sign(null, Buffer.from(this.texts.digest), this.signers.platform);
    return {
      text,
      alpha: sign(null, text, this.signers.alpha.privateKey),
      beta: sign(null, text, this.signers.beta.privateKey),
    };
  }

  #verify({ text, alpha, beta }: { text: Buffer; alpha: Buffer; beta: Buffer }): void {
    const valid =
      verify(null, text, this.signers.alpha.publicKey, alpha) &&
      verify(null, text, this.signers.beta.publicKey, beta);
    if (!valid) throw new Error('a signature of the floor does not verify');
  }

  #store(): void {
    const streams = Array.from({ length: BATCH }, () => `interaction-${randomUUID()}`);
    this.#keys
      .transaction(() => {
        for (const stream of streams) this.#insertKey.run(stream, Buffer.alloc(32, 7));
      })
      .immediate();
    for (const append of this.flow.appends) {
      this.#events
        .transaction(() => {
          for (const stream of streams) {
            for (const [, revision, type, id, body] of append) {
              this.#insert.run(stream, revision, type, id, body);
            }
          }
        })
        .immediate();
    }
  }
}

function openLikeTheStore(path: string, schema: string): Database.Database {
  const database = new Database(path);
  database.pragma('journal_mode = WAL');
  database.pragma('synchronous = FULL');
  database.pragma('cache_size = -32000');
  database.exec(schema);
  return database;
}
