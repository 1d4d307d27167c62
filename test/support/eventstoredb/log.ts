import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';

/** An event as the server keeps it. */
export interface LogRecord {
  readonly stream: string;
  readonly revision: number;
  readonly id: string;
  readonly type: string;
  readonly contentType: string;
  /** base64 */
  readonly data: string;
  /** base64 */
  readonly customMetadata: string;
  /** Commit and prepare position: one and the same for what was written over gRPC. */
  readonly position: number;
  /** Milliseconds since 1970. */
  readonly created: number;
}

export type ProposedRecord = Pick<
  LogRecord,
  'id' | 'type' | 'contentType' | 'data' | 'customMetadata'
>;

/** The server also takes `any` and `stream-exists`, which the adapter never says: the double has no rules for them. */
export type Expected = 'no-stream' | number;

export type Commit =
  | { readonly kind: 'success'; readonly revision: number; readonly position: number | undefined }
  /** `current` is -1 for no stream. */
  | { readonly kind: 'wrong-expected-version'; readonly current: number }
  /** Nothing is answered before the commit timeout. */
  | { readonly kind: 'timeout' };

export interface LogOptions {
  /** Keeps the log, for a process that is killed and started again. */
  readonly file?: string;
  /** Milliseconds until an append is replicated, so visible and answered (0). */
  readonly replicationMs?: number;
  /** `CommitTimeoutMs` of the server's configuration (2000). */
  readonly commitTimeoutMs?: number;
}

/** Bytes of a record besides what it carries. */
const RECORD_OVERHEAD = 60;
/** After so many appends the engine writes an event of its own. */
const APPENDS_PER_SYSTEM_EVENT = 5;

/**
 * The transaction log of the double, which all nodes of its cluster share: `$all` with the engine's own
 * events in it, and the rules by which the server takes or refuses an append.
 */
export class TransactionLog {
  /** Replicated or not. */
  readonly #written: LogRecord[] = [];
  readonly #streams = new Map<string, LogRecord[]>();
  readonly #listeners = new Set<() => void>();
  #replicated = 0;
  #next = 0;
  #appends = 0;

  constructor(private readonly options: LogOptions = {}) {
    const { file } = options;
    if (file !== undefined && existsSync(file)) {
      for (const line of readFileSync(file, 'utf8').split('\n')) {
        // A half line is an append that was never answered.
        if (line.endsWith(']'))
          for (const record of JSON.parse(line) as LogRecord[]) this.#add(record);
      }
      this.#replicated = this.#written.length;
    } else this.#writeSystemEvent('$epoch-information', '$EpochInformation');
  }

  /** `$all`, so far as it is replicated. */
  get length(): number {
    return this.#replicated;
  }

  at(index: number): LogRecord | undefined {
    return index < this.#replicated ? this.#written[index] : undefined;
  }

  /** Index of the first event at or after a position. */
  indexFrom(position: number): number {
    let low = 0;
    let high = this.#replicated;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#written[middle]?.position ?? 0) < position) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  stream(name: string): readonly LogRecord[] {
    const end = this.#written[this.#replicated - 1]?.position ?? -1;
    return (this.#streams.get(name) ?? []).filter(({ position }) => position <= end);
  }

  /** Resolves when `$all` is longer than so many events. */
  async longerThan(length: number, signal: AbortSignal): Promise<void> {
    if (this.#replicated > length || signal.aborted) return;
    await new Promise<void>((resolve) => {
      const wake = (): void => {
        this.#listeners.delete(wake);
        signal.removeEventListener('abort', wake);
        resolve();
      };
      this.#listeners.add(wake);
      signal.addEventListener('abort', wake);
    });
  }

  async append(
    stream: string,
    expected: Expected,
    events: readonly ProposedRecord[],
  ): Promise<Commit> {
    const decision = this.#checkCommit(stream, expected, events);
    if (decision.kind === 'idempotent-not-ready') {
      // StorageWriterService.ActOnCommitCheckFailure: "just drop the write and wait for the client to
      // retry", so the request manager answers CommitTimeout.
      await delay(this.options.commitTimeoutMs ?? 2_000);
      return { kind: 'timeout' };
    }
    if (decision.kind !== 'ok') return decision;
    const records = this.#write(stream, decision.current + 1, events);
    if (++this.#appends % APPENDS_PER_SYSTEM_EVENT === 0) {
      this.#writeSystemEvent(`$$${stream}`, '$metadata');
    }
    await this.#replicate();
    const last = records.at(-1);
    return { kind: 'success', revision: last?.revision ?? -1, position: last?.position };
  }

  /** Others write too. */
  writeForeign(stream: string, type: string): void {
    this.#write(stream, this.#streams.get(stream)?.length ?? 0, [
      {
        id: randomUUID(),
        type,
        contentType: 'application/json',
        data: Buffer.from('{"of":"others"}').toString('base64'),
        customMetadata: '',
      },
    ]);
    this.#show();
  }

  /** A backup from before so many events was put back. */
  cutOff(events: number): void {
    for (const { stream } of this.#written.splice(-events)) this.#streams.get(stream)?.pop();
    this.#replicated = this.#written.length;
  }

  /**
   * `IndexWriter.CheckCommit`. The names of its decisions: Ok, WrongExpectedVersion, Idempotent,
   * IdempotentNotReady, CorruptedIdempotency.
   */
  #checkCommit(
    stream: string,
    expected: Expected,
    events: readonly ProposedRecord[],
  ): Commit | { kind: 'ok'; current: number } | { kind: 'idempotent-not-ready' } {
    const written = this.#streams.get(stream) ?? [];
    const current = written.length - 1;
    const ok = { kind: 'ok', current } as const;
    const wrong = { kind: 'wrong-expected-version', current } as const;
    const version = expected === 'no-stream' ? -1 : expected;
    if (version > current) return wrong;
    // Equal: Ok, and the ids are not looked at. Known ids are stored once more.
    if (version === current) return ok;
    for (const [index, { id }] of events.entries()) {
      // The first id differs: WrongExpectedVersion. A later one: CorruptedIdempotency, which
      // StorageWriterService.ActOnCommitCheckFailure answers as WrongExpectedVersion too.
      if (written[version + 1 + index]?.id !== id) return wrong;
    }
    return this.#idempotent(stream, version + events.length);
  }

  #idempotent(stream: string, last: number): Commit | { kind: 'idempotent-not-ready' } {
    const isReplicated = this.stream(stream).length > last;
    if (!isReplicated) return { kind: 'idempotent-not-ready' };
    // AlreadyCommitted carries the position, or -1 when the event could not be read for it.
    return { kind: 'success', revision: last, position: undefined };
  }

  #write(stream: string, first: number, events: readonly ProposedRecord[]): LogRecord[] {
    const records = events.map((event, index): LogRecord => {
      const position = this.#next;
      this.#next += RECORD_OVERHEAD + stream.length + event.data.length;
      return { ...event, stream, revision: first + index, position, created: Date.now() };
    });
    // Whole or not at all, and before anybody is told.
    const { file } = this.options;
    if (file !== undefined) appendFileSync(file, `${JSON.stringify(records)}\n`);
    for (const record of records) this.#add(record);
    return records;
  }

  #add(record: LogRecord): void {
    this.#written.push(record);
    const stream = this.#streams.get(record.stream);
    if (stream === undefined) this.#streams.set(record.stream, [record]);
    else stream.push(record);
    this.#next = record.position + RECORD_OVERHEAD + record.stream.length + record.data.length;
  }

  #writeSystemEvent(stream: string, type: string): void {
    this.writeForeign(stream, type);
  }

  async #replicate(): Promise<void> {
    const { replicationMs = 0 } = this.options;
    if (replicationMs > 0) await delay(replicationMs);
    this.#show();
  }

  #show(): void {
    this.#replicated = this.#written.length;
    for (const wake of [...this.#listeners]) wake();
  }
}
