import { summarize, type CheckResult, type Verdict } from '../../audit/verify/check-result.js';
import { HASH_BYTES, MerkleFrontier } from '../../kernel/merkle.js';
import { AuditFault } from './audit-fault.js';
import { Dealer } from './dealer.js';
import { KeptLeaves } from './kept-leaves.js';
import { shardOf } from './shard-of.js';
import {
  JUDGED_ELSEWHERE,
  MAX_FINDINGS,
  MAX_INTERACTIONS,
  type CountedFindings,
  type AuditFinding,
  type JudgedLines,
} from './shard-protocol.js';
import { ShardWorker } from './shard-worker.js';
import type { Difference, ServiceAnswer } from './state-difference.js';
import { TemporaryTables } from './temporary/temporary-tables.js';

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
const BLOCKS_AHEAD = 16;

/**
 * Recomputes a log from its first event on, on several threads: every leaf and the tree, every
 * signature, the state of every interaction.
 */
export class LogAudit {
  readonly #shards: readonly ShardWorker[];
  readonly #dealer: Dealer;
  readonly #frontier = new MerkleFrontier();
  readonly #rootsAt = new Map<number, Uint8Array | undefined>();
  readonly #counts: Record<Verdict, number> = { verified: 0, failed: 0, 'not-checkable': 0 };
  readonly #findings: AuditFinding[] = [];
  readonly #tables: TemporaryTables | undefined;
  readonly #leaves: KeptLeaves | undefined;
  #dealt = 0;
  /** All blocks so far, in the order of the log. */
  #settled: Promise<void> = Promise.resolve();
  #last: { readonly index: number; readonly position: string } | null = null;

  constructor({ audience, threads, documents }: LogAuditOptions) {
    this.#dealer = new Dealer(threads);
    this.#tables = documents ? new TemporaryTables() : undefined;
    this.#leaves = this.#tables && new KeptLeaves(this.#tables.table('leaves'));
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
    return this.#leaves?.at(index);
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
    const ahead: Promise<void>[] = [];
    if (this.#dealt >= most) return;
    try {
      for await (const block of blocks) {
        ahead.push(this.#judge(block, most));
        if (ahead.length >= BLOCKS_AHEAD) await ahead.shift();
        if (this.#dealt >= most) break;
      }
    } finally {
      // Also of a source that broke off: what it gave counts.
      await this.#settled;
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

  /** Ids of the interactions of which an event stands at `from` or later, page by page. */
  async *interactions(from: number): AsyncGenerator<readonly string[], void> {
    for (const shard of this.#shards) {
      for (let after: string | undefined = ''; after !== undefined;) {
        const ids: readonly string[] = await shard.ask({ ask: 'interactions', from, after });
        if (ids.length > 0) yield ids;
        after = ids.length < MAX_INTERACTIONS ? undefined : ids.at(-1);
      }
    }
  }

  /** Where an answer of the service differs from what the log says; null when it does not. */
  async compare(answer: ServiceAnswer): Promise<Difference | null> {
    const shard = shardOf(`interaction-${answer.interactionId}`, this.#shards.length);
    return (await this.#shards[shard]?.ask({ ask: 'compare', answer })) ?? null;
  }

  async end(): Promise<void> {
    await Promise.all(this.#shards.map((shard) => shard.end()));
    this.#tables?.close();
  }

  /** Hands a block out, and waits until it is settled. */
  #judge(block: Uint8Array, most: number): Promise<void> {
    const first = this.#dealt;
    const { lines, shards } = this.#dealer.deal(block, first, most - first);
    this.#dealt += lines;
    const answers = Promise.all(
      shards.flatMap((share, shard) => {
        const worker = this.#shards[shard];
        if (share.indices.length > 0 && worker !== undefined) {
          return [worker.ask({ ask: 'judge', lines: share })];
        }
        this.#dealer.collect(share);
        return [];
      }),
    );
    const before = this.#settled;
    // As soon as it can be: answers that wait grow old, and memory is not freed of those for long.
    this.#settled = before.then(async () => {
      this.#settle(first, lines, await answers);
    });
    // Whoever waits for this block or an earlier one is told of it then.
    answers.catch(() => undefined);
    this.#settled.catch(() => undefined);
    return this.#settled;
  }

  /** What stands before a line that is no event counts. */
  #settle(first: number, lines: number, answers: readonly JudgedLines[]): void {
    const leaves = new Array<Uint8Array | undefined>(lines);
    for (const { malformed: place, dealt } of answers) {
      dealt.indices.forEach((index, nth) => {
        if (index === JUDGED_ELSEWHERE || index >= (place ?? Infinity)) return;
        // A copy: the memory goes around.
        leaves[index - first] = dealt.leaves.slice(nth * HASH_BYTES, (nth + 1) * HASH_BYTES);
      });
    }
    for (const [nth, leaf] of leaves.entries()) {
      if (leaf === undefined) {
        this.#noteBefore(first + nth, answers);
        throw malformed(first + nth);
      }
      this.#frontier.append(leaf);
      this.#leaves?.append(leaf);
      if (this.#rootsAt.has(this.size)) this.#rootsAt.set(this.size, this.root);
    }
    for (const answer of answers) {
      this.#note(answer);
      this.#dealer.collect(answer.dealt);
    }
  }

  /** Of a block that is not whole only findings are told by their place: what is verified is not counted. */
  #noteBefore(end: number, answers: readonly JudgedLines[]): void {
    const findings = answers.flatMap((answer) =>
      answer.findings.filter(({ index }) => index < end),
    );
    for (const { result } of findings) this.#counts[result.result]++;
    this.#noteFindings(findings);
  }

  #note({ counts, findings, dealt, position }: JudgedLines): void {
    for (const verdict of ['verified', 'failed', 'not-checkable'] as const) {
      this.#counts[verdict] += counts[verdict];
    }
    this.#noteFindings(findings);
    const index = dealt.indices.findLast((each) => each !== JUDGED_ELSEWHERE);
    if (index !== undefined && position !== null && index > (this.#last?.index ?? -1)) {
      this.#last = { index, position };
    }
  }

  #noteFindings(findings: readonly AuditFinding[]): void {
    for (const finding of findings) {
      const ofKind = this.#findings.filter(({ result }) => result.result === finding.result.result);
      if (ofKind.length < MAX_FINDINGS) this.#findings.push(finding);
    }
    this.#findings.sort((a, b) => a.index - b.index);
  }
}

function merged(shares: readonly CountedFindings[]): CountedFindings {
  return {
    count: shares.reduce((sum, { count }) => sum + count, 0),
    findings: inOrder(shares.flatMap(({ findings }) => findings)).slice(0, MAX_FINDINGS),
  };
}

/** Of the log. */
function inOrder(findings: readonly AuditFinding[]): readonly AuditFinding[] {
  return findings.toSorted((a, b) => a.index - b.index);
}

function malformed(index: number): AuditFault {
  return new AuditFault(
    'events-malformed',
    `line ${String(index + 1)} is no event of this log in the form of the service's export`,
  );
}
