import { randomUUID, type KeyObject, sign, verify } from 'node:crypto';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { configure } from '../../src/event-store/sqlite/database.js';
import { EVENT_STORE_FILE } from '../../src/event-store/sqlite/event-store-file.js';
import { interactionStream } from '../../src/interactions/domain/stream.js';
import type { InteractionId } from '../../src/kernel/ids.js';
import { FloorList, readStoredListing, type StoredListing } from './floor-list.js';

export interface FloorKeys {
  readonly alpha: { readonly privateKey: KeyObject; readonly publicKey: KeyObject };
  readonly beta: { readonly privateKey: KeyObject; readonly publicKey: KeyObject };
  readonly platform: KeyObject;
}

type Row = [revision: number, type: string, id: string, body: string];

/** One flow as the service stored it: what each of its appends wrote. */
export interface StoredFlow {
  readonly keySchema: string;
  readonly appends: readonly (readonly Row[])[];
  readonly listing: StoredListing;
}

/** Reads the newest whole flow of a running service: propose, then accept with its attestation. */
export function readStoredFlow(dataFolder: string): StoredFlow {
  const events = new Database(join(dataFolder, 'events.db'), { readonly: true });
  const keys = new Database(join(dataFolder, 'keys.db'), { readonly: true });
  try {
    const listing = readStoredListing(join(dataFolder, 'read.db'));
    const rows = events
      .prepare(
        `SELECT revision, type, id, body FROM events JOIN streams ON number = stream
         WHERE name = ? ORDER BY revision`,
      )
      .raw()
      .all(interactionStream(listing.interactionId)) as Row[];
    return {
      keySchema: keys
        .prepare("SELECT sql FROM sqlite_schema WHERE name = 'keys'")
        .pluck()
        .get() as string,
      appends: [rows.slice(0, 1), rows.slice(1)],
      listing,
    };
  } finally {
    events.close();
    keys.close();
  }
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
 * The unavoidable work of the same flows, and nothing else, in one process:
 *
 * - three signatures (two acceptances, one attestation) and two verifications;
 * - the same rows: the data key's, the stream's and the events', flushed, and the interaction
 *   list's, which the service does not flush either;
 * - in groups of as many flows as there are clients: of flows that wait for their answers, no more
 *   can share a commit, in which the floor is always as lucky as one can be.
 *
 * Not in it: HTTP, JSON, canonical forms and hashes, sealing, reading, the tokens (which the service
 * remembers, so that it verifies none per flow), the checkpoints.
 */
export class NegotiationFloor {
  readonly #events: Database.Database;
  readonly #keys: Database.Database;
  readonly #insertStream: Database.Statement<[string]>;
  readonly #insertEvent: Database.Statement<[number | bigint, ...Row]>;
  readonly #insertKey: Database.Statement<[string, Buffer]>;
  readonly #list: FloorList;

  constructor(
    folder: string,
    private readonly flow: StoredFlow,
    /** Flows that share their commits. */
    private readonly group: number,
    private readonly signers: FloorKeys,
    /** As long as the statements that the agents sign, and as the attested digest. */
    private readonly texts: { readonly statement: string; readonly digest: string },
  ) {
    this.#events = openLikeTheStore(join(folder, 'floor-events.db'), EVENT_STORE_FILE.schema);
    this.#keys = openLikeTheStore(join(folder, 'floor-keys.db'), flow.keySchema);
    this.#insertStream = this.#events.prepare('INSERT INTO streams (name) VALUES (?)');
    this.#insertEvent = this.#events.prepare(
      'INSERT INTO events (stream, revision, type, id, body) VALUES (?, ?, ?, ?, ?)',
    );
    this.#insertKey = this.#keys.prepare<[string, Buffer]>(
      'INSERT INTO keys (scope, key) VALUES (?, ?)',
    );
    this.#list = new FloorList(join(folder, 'floor-read.db'), flow.listing);
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
      const signatures = Array.from({ length: this.group }, () => this.#sign());
      lap('signing');
      for (const signed of signatures) this.#verify(signed);
      lap('verifying');
      this.#store();
      lap('storing');
      flows += this.group;
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
    this.#list.close();
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
    const interactionIds = Array.from({ length: this.group }, () => randomUUID() as InteractionId);
    const streams = interactionIds.map(interactionStream);
    this.#keys
      .transaction(() => {
        for (const stream of streams) this.#insertKey.run(stream, Buffer.alloc(32, 7));
      })
      .immediate();
    const numbers: (number | bigint)[] = [];
    for (const append of this.flow.appends) {
      this.#events
        .transaction(() => {
          for (const [index, stream] of streams.entries()) {
            numbers[index] ??= this.#insertStream.run(stream).lastInsertRowid;
            for (const row of append) this.#insertEvent.run(numbers[index], ...row);
          }
        })
        .immediate();
    }
    this.#list.propose(interactionIds);
    this.#list.accept(interactionIds);
  }
}

function openLikeTheStore(path: string, schema: string): Database.Database {
  const database = new Database(path);
  configure(database);
  database.exec(schema);
  return database;
}
