import type { TermVector } from './term-statistics.js';

interface Posting {
  readonly rows: number[];
  readonly weights: number[];
}

/** Sparse rows, found by their terms. */
export class Postings {
  readonly #byTerm = new Map<string, Posting>();

  add(row: number, vector: TermVector): void {
    for (const [term, weight] of vector) {
      let posting = this.#byTerm.get(term);
      if (posting === undefined) this.#byTerm.set(term, (posting = { rows: [], weights: [] }));
      posting.rows.push(row);
      posting.weights.push(weight);
    }
  }

  /** The cosine of `vector` and each of the first `rows` rows. */
  cosines(vector: TermVector, rows: number): Float32Array {
    const result = new Float32Array(rows);
    for (const [term, weight] of vector) {
      const posting = this.#byTerm.get(term);
      if (posting === undefined) continue;
      for (let i = 0; i < posting.rows.length; i++) {
        const row = posting.rows[i] as number;
        if (row >= rows) break;
        result[row] = (result[row] as number) + weight * (posting.weights[i] as number);
      }
    }
    return result;
  }
}
