import { Postings } from './postings.js';
import type { TermStatistics } from './term-statistics.js';
import { VectorTable } from './vector-table.js';

/**
 * What the kernel sees of texts: vectors of the encoder beside terms, or terms alone.
 * - `encoded`: Gaussian over [mapped vector, 0.6·TF-IDF]: exp(−|x−y|²/1.4)
 * - `words`: Gaussian over TF-IDF: exp(−|x−y|²)
 */
export type KernelKind = 'encoded' | 'words';

const SHARPNESS = {
  encoded: { vectors: 1 / 0.7, terms: 0.36 / 0.7 },
  words: { vectors: 0, terms: 2 },
} as const satisfies Record<KernelKind, { vectors: number; terms: number }>;

/** A text as the kernel compares it. */
export interface KernelText {
  readonly text: string;
  /** Of unit length; unused by `words`. */
  readonly vector: Float32Array | undefined;
}

/** Texts that others are compared with; they are only ever appended. */
export class KernelTexts {
  readonly #vectors: VectorTable;
  readonly #postings = new Postings();
  #count = 0;

  /** @param capacity texts that are expected */
  constructor(
    private readonly kind: KernelKind,
    private readonly statistics: TermStatistics,
    capacity: number,
  ) {
    this.#vectors = new VectorTable(kind === 'encoded' ? Math.max(1, capacity) : 1);
  }

  append({ text, vector }: KernelText): void {
    if (vector !== undefined) this.#vectors.append(vector);
    this.#postings.add(this.#count++, this.statistics.vector(text));
  }

  /** Kernel between a text and each of the first `rows`. */
  compare({ text, vector }: KernelText, rows = this.#count): Float32Array {
    const sharpness = SHARPNESS[this.kind];
    const result = this.#postings.cosines(this.statistics.vector(text), rows);
    const cosines = vector && this.#vectors.multiply(vector, rows);
    for (let row = 0; row < rows; row++) {
      const ofVectors = sharpness.vectors * ((cosines?.[row] ?? 0) - 1);
      result[row] = Math.exp(ofVectors + sharpness.terms * ((result[row] as number) - 1));
    }
    return result;
  }
}
