import { VECTOR_SIZE } from './encoder.js';
import { Postings } from './postings.js';
import type { TermStatistics } from './term-statistics.js';

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
  private vectors = new Float32Array(0);
  private readonly postings = new Postings();
  private count = 0;

  constructor(
    private readonly kind: KernelKind,
    private readonly statistics: TermStatistics,
  ) {}

  append(texts: readonly KernelText[]): void {
    this.reserve(this.count + texts.length);
    for (const { text, vector } of texts) {
      if (vector !== undefined) this.vectors.set(vector, this.count * VECTOR_SIZE);
      this.postings.add(this.count++, this.statistics.vector(text));
    }
  }

  /** Kernel between a text and each of the first `rows`. */
  compare({ text, vector }: KernelText, rows = this.count): Float32Array {
    const sharpness = SHARPNESS[this.kind];
    const result = this.postings.cosines(this.statistics.vector(text), rows);
    for (let row = 0; row < rows; row++) {
      const cosine = vector === undefined ? 0 : dot(this.vectors, row * VECTOR_SIZE, vector);
      result[row] = Math.exp(
        sharpness.vectors * (cosine - 1) + sharpness.terms * ((result[row] as number) - 1),
      );
    }
    return result;
  }

  private reserve(rows: number): void {
    if (this.kind === 'words' || rows * VECTOR_SIZE <= this.vectors.length) return;
    const wider = new Float32Array(Math.ceil(rows * 1.25) * VECTOR_SIZE);
    wider.set(this.vectors);
    this.vectors = wider;
  }
}

/** Kept in four sums, which the processor adds side by side. */
function dot(matrix: Float32Array, start: number, vector: Float32Array): number {
  let [a, b, c, d] = [0, 0, 0, 0];
  for (let i = 0; i < VECTOR_SIZE; i += 4) {
    const at = start + i;
    a += (matrix[at] as number) * (vector[i] as number);
    b += (matrix[at + 1] as number) * (vector[i + 1] as number);
    c += (matrix[at + 2] as number) * (vector[i + 2] as number);
    d += (matrix[at + 3] as number) * (vector[i + 3] as number);
  }
  return a + b + (c + d);
}
