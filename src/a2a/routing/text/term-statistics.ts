import { terms } from './terms.js';

/** A text's terms, each with its share of the unit length; the empty text has none. */
export type TermVector = ReadonlyMap<string, number>;

/** How rare terms are in a corpus, as of when it was counted. */
export class TermStatistics {
  readonly #documents = new Map<string, number>();
  readonly #total: number;

  constructor(corpus: readonly string[]) {
    this.#total = corpus.length;
    for (const text of corpus) {
      for (const term of terms(text).keys()) {
        this.#documents.set(term, (this.#documents.get(term) ?? 0) + 1);
      }
    }
  }

  /** TF-IDF with smoothed document frequencies. A term that the corpus lacks is the rarest. */
  vector(text: string): TermVector {
    const vector = terms(text);
    let squares = 0;
    for (const [term, weight] of vector) {
      const value = weight * this.#rarity(term);
      vector.set(term, value);
      squares += value * value;
    }
    const length = Math.sqrt(squares);
    for (const [term, value] of vector) vector.set(term, value / length);
    return vector;
  }

  #rarity(term: string): number {
    return Math.log((1 + this.#total) / (1 + (this.#documents.get(term) ?? 0))) + 1;
  }
}
