import type { CheckResult, Verdict } from '../../audit/verify/check-result.js';
import type { Difference, ServiceAnswer } from './state-difference.js';

/** What a thread is started with. */
export interface ShardSettings {
  readonly audience: string;
  /** Of how many, and which one it is. */
  readonly shards: number;
  readonly shard: number;
  /** Keeps what the wire documents are rebuilt from, to compare them. */
  readonly documents: boolean;
}

/** Lines of the log for one shard. */
export interface ShardLines {
  /** Each with its newline. */
  readonly lines: Uint8Array;
  /** Of each line, its place in the log. */
  readonly indices: Float64Array;
}

/** What a shard made of the lines that it judges; gaps for want of texts are asked for apart. */
export interface JudgedLines {
  readonly indices: Float64Array;
  /** Hashes of their leaves, 32 bytes each. */
  readonly leaves: Uint8Array;
  readonly counts: Readonly<Record<Verdict, number>>;
  /** What did not come out as verified, in the order of the log: the first {@link MAX_FINDINGS} of each kind. */
  readonly findings: readonly Finding[];
  /** Of the last of them, in the service's log; null when there was none. */
  readonly position: string | null;
  /** Where the first line stands that is no event of this log. */
  readonly malformed: number | null;
}

export interface Finding {
  readonly index: number;
  readonly result: CheckResult;
}

export const MAX_FINDINGS = 20;

/** Results of one kind: how many, and the first {@link MAX_FINDINGS}, of each interaction one. */
export interface CountedFindings {
  readonly count: number;
  readonly findings: readonly Finding[];
}

/** What could not be checked of interactions for want of their texts. */
export interface TextGaps {
  readonly missing: CountedFindings;
  /** They are missing because the log tells that they were erased. */
  readonly erased: CountedFindings;
}

export type ShardQuestion =
  | { readonly ask: 'judge'; readonly lines: ShardLines }
  /** What is still owed at the end of the log. */
  | { readonly ask: 'finish' }
  /** Texts that are missing, as far as the log has been read. */
  | { readonly ask: 'text-gaps' }
  /** Ids of the interactions of which an event stands at `from` or later. */
  | { readonly ask: 'interactions'; readonly from: number }
  | { readonly ask: 'compare'; readonly answer: ServiceAnswer };

export interface ShardAnswers {
  readonly judge: JudgedLines;
  readonly finish: readonly CheckResult[];
  readonly 'text-gaps': TextGaps;
  readonly interactions: readonly string[];
  readonly compare: Difference | null;
}

export interface NumberedQuestion {
  readonly id: number;
  readonly question: ShardQuestion;
}

export interface NumberedAnswer {
  readonly id: number;
  readonly answer: ShardAnswers[ShardQuestion['ask']];
}
