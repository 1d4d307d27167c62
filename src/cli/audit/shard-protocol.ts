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

/** Lines of the log for one shard; its answer gives their memory back. */
export interface ShardLines {
  /** Each with its newline. */
  readonly lines: Uint8Array<ArrayBuffer>;
  /** Of each line, its place in the log. */
  readonly indices: Float64Array<ArrayBuffer>;
  /** Room for the hash of each line's leaf, 32 bytes, behind the indices in their memory. */
  readonly leaves: Uint8Array<ArrayBuffer>;
}

/** All of it is handed over from thread to thread, and used by one at a time. */
export function memoryOf({ lines, indices }: ShardLines): ArrayBuffer[] {
  return [lines.buffer, indices.buffer];
}

/** In place of an index: another shard judges this line. */
export const JUDGED_ELSEWHERE = -1;

/** What a shard made of the lines that it judges; gaps for want of texts are asked for apart. */
export interface JudgedLines {
  /** As they were given, with the hashes of their leaves, and {@link JUDGED_ELSEWHERE}. */
  readonly dealt: ShardLines;
  readonly counts: Readonly<Record<Verdict, number>>;
  /** What did not come out as verified, in the order of the log: the first {@link MAX_FINDINGS} of each kind. */
  readonly findings: readonly AuditFinding[];
  /** Of the last of them, in the service's log; null when there was none. */
  readonly position: string | null;
  /** Where the first line stands that is no event of this log. */
  readonly malformed: number | null;
}

export interface AuditFinding {
  readonly index: number;
  readonly result: CheckResult;
}

export const MAX_FINDINGS = 20;

export const MAX_INTERACTIONS = 1_000;

/** Results of one kind: how many, and the first {@link MAX_FINDINGS}, of each interaction one. */
export interface CountedFindings {
  readonly count: number;
  readonly findings: readonly AuditFinding[];
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
  /**
   * Ids of the interactions of which an event stands at `from` or later: the first
   * {@link MAX_INTERACTIONS} of them behind `after`, in their order.
   */
  | { readonly ask: 'interactions'; readonly from: number; readonly after: string }
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
