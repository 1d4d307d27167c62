import { summarize, type CheckResult, type Verdict } from '../../audit/verify/check-result.js';
import { HASH_BYTES, MerkleFrontier } from '../../kernel/merkle.js';
import { AuditFault } from './audit-fault.js';
import { shardOf } from './routing.js';
import {
  MAX_FINDINGS,
  type CountedFindings,
  type Finding,
  type JudgedLines,
} from './shard-protocol.js';
import { ShardWorker } from './shard-worker.js';
import { deal } from './sharded-lines.js';
import type { Difference, ServiceAnswer } from './state-difference.js';

export interface LogAuditOptions {
  /** The platform's public base URL. */
  readonly audience: string;
  readonly threads: number;
  /** Keeps what {@link LogAudit.compare} and {@link LogAudit.leafAt} need. */
  readonly documents: boolean;
}

/** What the checks of all events came to. */
export interface AuditedEvents {
  readonly result: Verdict;
  readonly counts: Readonly<Record<Verdict, number>>;
  /** What is not checkable because the log tells that the texts were erased; not among the counts. */
  readonly erased: number;
  /** The first of what did not come out as verified, in the order of the log. */
  readonly findings: readonly CheckResult[];
}

/** Blocks that are under way at one time: more would only wait in memory. */
const BLOCKS_AHEAD = 8;

/**
 * Recomputes a log from its first event on, on several threads: every leaf and the tree, every
 * signature, the state of every interaction.
 */
export class LogAudit {
  readonly #shards: readonly ShardWorker[];
  readonly #frontier = new MerkleFrontier();
  readonly #rootsAt = new Map<number, Uint8Array | undefined>();
  readonly #counts: Record<Verdict, number> = { verified: 0, failed: 0, 'not-checkable': 0 };
  readonly #findings: Finding[] = [];
  readonly #leaves: Uint8Array[] | undefined;
  #dealt = 0;
  #last: { readonly index: number; readonly position: string } | null = null;

  constructor({ audience, threads, documents }: LogAuditOptions) {
    this.#leaves = documents ? [] : undefined;
    this.#shards = Array.from(
      { length: threads },
      (_, shard) => new ShardWorker({ audience, shards: threads, shard, documents }),
    );
  }

  /** Leaves so far. */
  get size(): number {
    return this.#frontier.size;
  }

  /** Of the leaves so far. */
  get root(): Uint8Array {
    return this.#frontier.root();
  }

  /** The hash of a leaf; undefined beyond the tree, and where leaves are not kept. */
  leafAt(index: number): Uint8Array | undefined {
    return this.#leaves?.[index];
  }

  /** Of the last event, in the service's log; null before the first. */
  get position(): string | null {
    return this.#last?.position ?? null;
  }

  /** Remembers the root that the tree will have at this size. */
  watch(size: number): void {
    if (size >= this.size) this.#rootsAt.set(size, size === this.size ? this.root : undefined);
  }

  /** Undefined unless it was watched for, and reached. */
  rootAt(size: number): Uint8Array | undefined {
    return this.#rootsAt.get(size);
  }

  /**
   * Takes the next lines of the log, whole blocks of them.
   * @param most lines beyond so many in all are left unread
   * @throws {AuditFault} `events-malformed`
   */
  async take(blocks: AsyncIterable<Uint8Array>, most = Infinity): Promise<void> {
    const ahead: (() => Promise<void>)[] = [];
    const settleOne = async (): Promise<void> => ahead.shift()?.();
    if (this.#dealt >= most) return;
    try {
      for await (const block of blocks) {
        ahead.push(this.#judge(block, most));
        if (ahead.length >= BLOCKS_AHEAD) await settleOne();
        if (this.#dealt >= most) break;
      }
    } finally {
      // Also of a source that broke off: what it gave counts.
      while (ahead.length > 0) await settleOne();
    }
  }

  /** What the events so far come to; `isWhole`: nothing comes after them. */
  async events(isWhole: boolean): Promise<AuditedEvents> {
    const owed = isWhole
      ? (await Promise.all(this.#shards.map((shard) => shard.ask({ ask: 'finish' })))).flat()
      : [];
    const gaps = await Promise.all(this.#shards.map((shard) => shard.ask({ ask: 'text-gaps' })));
    const missing = merged(gaps.map((each) => each.missing));
    const erased = merged(gaps.map((each) => each.erased));
    const placed = inOrder([...this.#findings, ...missing.findings, ...erased.findings]);
    const findings = [...placed.map(({ result }) => result), ...owed];
    const counts = { ...this.#counts };
    counts['not-checkable'] += missing.count;
    for (const { result } of owed) counts[result]++;
    return { result: summarize(findings).result, counts, erased: erased.count, findings };
  }

  /** Ids of the interactions of which an event stands at `from` or later. */
  async interactions(from: number): Promise<readonly string[]> {
    const asked = this.#shards.map((shard) => shard.ask({ ask: 'interactions', from }));
    return (await Promise.all(asked)).flat();
  }

  /** Where an answer of the service differs from what the log says; null when it does not. */
  async compare(answer: ServiceAnswer): Promise<Difference | null> {
    const shard = shardOf(`interaction-${answer.interactionId}`, this.#shards.length);
    return (await this.#shards[shard]?.ask({ ask: 'compare', answer })) ?? null;
  }

  async end(): Promise<void> {
    await Promise.all(this.#shards.map((shard) => shard.end()));
  }

  /** Hands a block out; what is returned waits for the answers. */
  #judge(block: Uint8Array, most: number): () => Promise<void> {
    const first = this.#dealt;
    const { lines, shards } = deal(block, first, this.#shards.length, most - first);
    this.#dealt += lines;
    const answers = Promise.all(
      shards.flatMap((share, shard) => {
        const worker = share.indices.length === 0 ? undefined : this.#shards[shard];
        return worker === undefined ? [] : [worker.ask({ ask: 'judge', lines: share })];
      }),
    );
    // Whoever waits for an earlier block is told of it then.
    answers.catch(() => undefined);
    return async () => {
      this.#settle(first, lines, await answers);
    };
  }

  #settle(first: number, lines: number, answers: readonly JudgedLines[]): void {
    const leaves = new Array<Uint8Array | undefined>(lines);
    for (const answer of answers) {
      if (answer.malformed !== null) throw malformed(answer.malformed);
      answer.indices.forEach((index, nth) => {
        const leaf = answer.leaves.subarray(nth * HASH_BYTES, (nth + 1) * HASH_BYTES);
        leaves[index - first] = leaf;
      });
      this.#note(answer);
    }
    for (let nth = 0; nth < lines; nth++) {
      const leaf = leaves[nth];
      if (leaf === undefined) throw malformed(first + nth);
      this.#frontier.append(leaf);
      this.#leaves?.push(leaf);
      if (this.#rootsAt.has(this.size)) this.#rootsAt.set(this.size, this.root);
    }
  }

  #note({ counts, findings, indices, position }: JudgedLines): void {
    for (const verdict of ['verified', 'failed', 'not-checkable'] as const) {
      this.#counts[verdict] += counts[verdict];
    }
    for (const finding of findings) {
      const ofKind = this.#findings.filter(({ result }) => result.result === finding.result.result);
      if (ofKind.length < MAX_FINDINGS) this.#findings.push(finding);
    }
    this.#findings.sort((a, b) => a.index - b.index);
    const index = indices.at(-1);
    if (index !== undefined && position !== null && index > (this.#last?.index ?? -1)) {
      this.#last = { index, position };
    }
  }
}

function merged(shares: readonly CountedFindings[]): CountedFindings {
  return {
    count: shares.reduce((sum, { count }) => sum + count, 0),
    findings: inOrder(shares.flatMap(({ findings }) => findings)).slice(0, MAX_FINDINGS),
  };
}

/** Of the log. */
function inOrder(findings: readonly Finding[]): readonly Finding[] {
  return findings.toSorted((a, b) => a.index - b.index);
}

function malformed(index: number): AuditFault {
  return new AuditFault(
    'events-malformed',
    `line ${String(index + 1)} is no event of this log in the form of the service's export`,
  );
}
