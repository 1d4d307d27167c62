import { erasedTexts, lacksTexts } from '../../audit/verify/erased-texts.js';
import {
  RestingStates,
  type Packing,
  type RestingPlace,
} from '../../audit/verify/replay/resting-states.js';
import { MAX_FINDINGS, type AuditFinding, type TextGaps } from './shard-protocol.js';

interface Gaps {
  count: number;
  readonly first: AuditFinding;
}

const GAPS_PACKING: Packing<Gaps> = {
  pack: (gaps) => JSON.stringify(gaps),
  unpack: (text) => JSON.parse(text) as Gaps,
};

/**
 * Checks of interactions for which the texts are missing. Whether they were erased is told only later,
 * in the same stream: until then a service that hides them looks alike.
 */
export class MissingTexts {
  /** Of each interaction that is not erased: one finding is kept, since there may be very many. */
  readonly #missing: RestingStates<Gaps>;
  #missingCount = 0;
  #erasedCount = 0;
  readonly #erased: AuditFinding[] = [];

  constructor(place: RestingPlace) {
    this.#missing = new RestingStates(GAPS_PACKING, place);
  }

  /** Whether it is a result of this kind, and is kept here then. */
  take(stream: string, finding: AuditFinding): boolean {
    if (!lacksTexts(finding.result)) return false;
    const gaps = this.#missing.get(stream);
    if (gaps === undefined) this.#missing.set(stream, { count: 1, first: finding });
    else gaps.count++;
    this.#missingCount++;
    return true;
  }

  /** The log tells, by this event, that the stream's texts were erased. */
  erased(stream: string, event: string): void {
    const gaps = this.#missing.get(stream);
    if (gaps === undefined) return;
    this.#missing.delete(stream);
    this.#missingCount -= gaps.count;
    this.#erasedCount += gaps.count;
    if (this.#erased.length >= MAX_FINDINGS) return;
    const { index } = gaps.first;
    this.#erased.push({ index, result: erasedTexts(event, gaps.count) });
  }

  /** As far as the log has been read. */
  told(): TextGaps {
    return {
      missing: { count: this.#missingCount, findings: this.#firstMissing() },
      erased: { count: this.#erasedCount, findings: [...this.#erased] },
    };
  }

  #firstMissing(): readonly AuditFinding[] {
    const found: AuditFinding[] = [];
    if (this.#missingCount === 0) return found;
    for (const [, { first }] of this.#missing.entries()) {
      if (found.length === MAX_FINDINGS && first.index > (found.at(-1)?.index ?? 0)) continue;
      found.push(first);
      found.sort((a, b) => a.index - b.index);
      found.length = Math.min(found.length, MAX_FINDINGS);
    }
    return found;
  }
}
