import type { CheckResult } from '../../audit/verify/check-result.js';
import { MAX_FINDINGS, type Finding, type TextGaps } from './shard-protocol.js';

interface Gaps {
  count: number;
  readonly first: Finding;
}

/**
 * Checks of interactions for which the texts are missing. Whether they were erased is told only later,
 * in the same stream: until then a service that hides them looks alike.
 */
export class MissingTexts {
  /** Of each interaction that is not erased: one finding is kept, since there may be very many. */
  readonly #missing = new Map<string, Gaps>();
  #erasedCount = 0;
  readonly #erased: Finding[] = [];

  /** Whether it is a result of this kind, and is kept here then. */
  take(stream: string, finding: Finding): boolean {
    if (finding.result.reason !== 'texts-missing') return false;
    const gaps = this.#missing.get(stream);
    if (gaps === undefined) this.#missing.set(stream, { count: 1, first: finding });
    else gaps.count++;
    return true;
  }

  /** The log tells that the stream's texts were erased. */
  erased(stream: string): void {
    const gaps = this.#missing.get(stream);
    if (gaps === undefined) return;
    this.#missing.delete(stream);
    this.#erasedCount += gaps.count;
    if (this.#erased.length >= MAX_FINDINGS) return;
    const { index, result } = gaps.first;
    this.#erased.push({ index, result: { ...result, reason: 'erased', detail: null } });
  }

  /** As far as the log has been read. */
  told(): TextGaps {
    const missing = [...this.#missing.values()];
    return {
      missing: {
        count: missing.reduce((sum, { count }) => sum + count, 0),
        findings: missing.slice(0, MAX_FINDINGS).map(({ first }) => first),
      },
      erased: { count: this.#erasedCount, findings: [...this.#erased] },
    };
  }
}

/** That the texts are erased, and nothing speaks against it but that they are. */
export function tellsErasure(type: string, results: readonly CheckResult[]): boolean {
  return (
    type === 'texts-erased' &&
    results.some(
      ({ check, result, reason }) =>
        check === 'transition' && result !== 'failed' && reason !== 'state-unknown',
    )
  );
}
