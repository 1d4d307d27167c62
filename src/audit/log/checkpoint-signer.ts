import { encodeBase64Url } from '../../kernel/base64url.js';
import { formatCheckpoint } from '../../kernel/checkpoint.js';
import { noteKey, signNote } from '../../kernel/note-key.js';
import type { Reporter } from '../../kernel/reporter.js';
import { formatNote } from '../../kernel/signed-note.js';
import type { Clock } from '../../kernel/timestamp.js';
import { errorSummary } from '../../projections/error-summary.js';
import { pause } from '../../projections/pause.js';
import type { CheckpointFile } from './checkpoint-file.js';
import { CheckpointPace } from './checkpoint-pace.js';
import { newestCheckpoint } from './checkpoint-rows.js';
import type { CheckpointKey } from './checkpoint-signing.js';
import type { CheckpointWriter } from './checkpoint-writer.js';
import { contradictionOf } from './contradiction.js';
import type { ProvenRoot } from './tree-progress.js';
import type { TreeView } from './tree-view.js';

export interface CheckpointSignerOptions {
  readonly origin: string;
  readonly tree: TreeView;
  readonly file: CheckpointFile;
  readonly writer: CheckpointWriter;
  /** The key that signs now; undefined when this node holds none. */
  readonly key: () => Promise<CheckpointKey | undefined>;
  /** Brings the tree to the head of the log; false when it does not get there in time. */
  readonly catchUp: () => Promise<boolean>;
  /** The tree of the log's events as the follower has computed it: nothing else is ever signed. */
  readonly proven: () => ProvenRoot | null;
  readonly clock: Clock;
  readonly report: Reporter;
  readonly intervalMs: number;
  /** Least time between two checkpoints when somebody asks for one, in milliseconds. */
  readonly leastIntervalMs?: number;
  /** Milliseconds on a clock that nobody sets. */
  readonly monotonic?: Clock;
}

/**
 * `starting`: what was signed has not been compared with the tree yet; `signing`: as it should be,
 * also while there is nothing to sign; `no-key`; `behind`: the tree has not come to the head of the
 * log, or has grown and was not signed for long; `refusing`: what was signed once speaks against the tree;
 * `failing`: store or file cannot be used.
 */
export type SignerState = 'starting' | 'signing' | 'no-key' | 'behind' | 'refusing' | 'failing';

export interface SignerHealth {
  readonly state: SignerState;
  /** Why, for operators; null when nothing is wrong. */
  readonly fault: string | null;
}

const STARTING: SignerHealth = { state: 'starting', fault: null };
const WELL: SignerHealth = { state: 'signing', fault: null };
const LEAST_INTERVAL_MS = 1_000;

/**
 * Signs the tree when it has grown: at most once per interval, whichever node it is, sooner when
 * somebody waits. A checkpoint is published by its event in the stream `log`, appended at the exact
 * revision that the signer has seen; before that it is flushed to a file. A tree that contradicts
 * that file, or a checkpoint in the log, is never signed.
 *
 * After a crash in between the file is ahead: the next start signs the same tree or a larger one.
 */
export class CheckpointSigner {
  readonly #stopping = new AbortController();
  #sleep = new AbortController();
  #running: Promise<void> | undefined;
  #isAsked = false;
  #health = STARTING;
  readonly #pace: CheckpointPace;
  #isChecked = false;

  constructor(private readonly options: CheckpointSignerOptions) {
    const { leastIntervalMs = LEAST_INTERVAL_MS, monotonic = () => performance.now() } = options;
    this.#pace = new CheckpointPace({ ...options, leastIntervalMs, monotonic });
  }

  get health(): SignerHealth {
    return this.#health;
  }

  /**
   * What to tell operators: a turn that never ends says nothing by itself.
   * @param unsigned leaves that no published checkpoint covers
   */
  healthOver(unsigned: number): SignerHealth {
    const { overdueMs } = this.#pace;
    const { state, fault } = this.#health;
    if (overdueMs === undefined) return this.#health;
    const overdue = `nothing was signed for ${String(Math.floor(overdueMs / 1_000))} s`;
    // A tree that does not grow has no leaves that wait.
    if (fault !== null) return { state, fault: `${fault}; ${overdue}` };
    if (unsigned <= 0) return this.#health;
    return { state: 'behind', fault: `${overdue}: ${String(unsigned)} leaves wait` };
  }

  /** What this node keeps was compared with the tree: until then it does not know what its log is. */
  get isChecked(): boolean {
    return this.#isChecked;
  }

  start(): void {
    this.#running ??= this.#run();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#sleep.abort();
    await this.#running;
  }

  /** Somebody waits for the next checkpoint. */
  signSoon(): void {
    this.#isAsked = true;
    this.#sleep.abort();
  }

  async #run(): Promise<void> {
    let delay = 0;
    for (;;) {
      const isDue = this.#isAsked && delay >= this.options.intervalMs;
      if (!(await this.#rest(isDue ? 0 : delay))) return;
      const isAsked = this.#isAsked;
      this.#isAsked = false;
      const remaining = await this.#turn(isAsked);
      // Who asked too early is not forgotten.
      if (remaining !== undefined) this.#isAsked ||= isAsked;
      delay = remaining ?? this.options.intervalMs;
    }
  }

  /**
   * A rest that was asked for already is not cut short by asking again.
   * @returns false when it is time to stop
   */
  async #rest(milliseconds: number): Promise<boolean> {
    const { signal } = this.#stopping;
    if (milliseconds > 0 && !signal.aborted) {
      this.#sleep = new AbortController();
      await pause(milliseconds, this.#isAsked ? signal : this.#sleep.signal);
    }
    return !signal.aborted;
  }

  /** @returns milliseconds until it may be signed again, undefined when nothing waits for that. */
  async #turn(isAsked: boolean): Promise<number | undefined> {
    try {
      const { health, remaining } = await this.#sign(isAsked);
      this.#became(health);
      return remaining;
    } catch (error) {
      this.#became({ state: 'failing', fault: errorSummary(error) });
      return undefined;
    }
  }

  async #sign(isAsked: boolean): Promise<{ health: SignerHealth; remaining?: number }> {
    const { origin, tree, file, writer, proven } = this.options;
    const kept = await file.read();
    // Nothing speaks against the tree but what the log itself holds, and that comes with the tree.
    if (kept === undefined) this.#isChecked = true;
    const key = await this.options.key();
    const isAtHead = await this.options.catchUp();
    if (!isAtHead && tree.size < (kept?.checkpoint.size ?? 0)) return { health: this.#behind };
    // A tree that was not compared with the log, or is damaged, says nothing about it.
    if (proven() === null) return { health: this.#behind };
    tree.rootOf(tree.state);
    const fault = contradictionOf(tree, origin, kept);
    if (fault !== undefined) return { health: { state: 'refusing', fault } };
    this.#isChecked = true;
    if (!isAtHead) return { health: this.#behind };

    // From here to the signature nothing waits: state, root and newest checkpoint belong together.
    const seen = tree.state;
    const newest = tree.isThere ? newestCheckpoint(tree) : undefined;
    const root = proven();
    if (root === null || root.size > seen.size) return { health: this.#behind };
    tree.rootOf(seen);
    tree.requireRoot(root);
    this.#pace.saw(newest, seen.size);
    const { size, rootHash } = root;
    // What others have published binds this node too, should the log be put back one day.
    if (newest !== undefined && newest.size > (kept?.checkpoint.size ?? -1)) {
      await file.write(newest.note);
    }
    if (key === undefined) {
      const missing = 'this node holds no platform key of the purpose checkpoint that may sign';
      return { health: { state: 'no-key', fault: missing } };
    }
    if (size <= (newest?.size ?? 0)) return { health: WELL };
    const remaining = this.#pace.remaining(isAsked);
    if (remaining > 0) return { health: WELL, remaining };

    const text = formatCheckpoint({ origin, size, rootHash });
    const signature = signNote(text, noteKey(origin, 'ed25519', key.jwk), key.sign);
    const note = formatNote({ text, signatures: [signature] });
    await file.write(note);
    const data = {
      origin,
      size,
      rootHash: encodeBase64Url(rootHash),
      keyId: key.keyId,
      note,
    };
    const isFirst = await writer.append({ type: 'checkpoint-signed', data, texts: null }, seen);
    const published = isFirst ? undefined : await writer.revision();
    // Own or another node's: the tree must see it before the next one is thought of.
    if (await this.options.catchUp()) {
      this.#pace.saw(newestCheckpoint(tree), tree.size);
      if (published !== undefined) tree.requireTaken(published, seen);
    }
    return isFirst ? { health: WELL } : { health: WELL, remaining: 1 };
  }

  get #behind(): SignerHealth {
    const state = this.#isChecked ? 'behind' : 'starting';
    return { state, fault: 'the tree has not reached the head of the log' };
  }

  #became(health: SignerHealth): void {
    const isNew = health.state !== this.#health.state || health.fault !== this.#health.fault;
    this.#health = health;
    if (isNew && health.fault !== null) {
      const level = health.state === 'refusing' ? 'error' : 'warn';
      this.options.report('no checkpoint of the log is signed', { level, ...health });
    }
  }
}
