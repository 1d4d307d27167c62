import type { EncoderWeights } from './encoder-weights.js';
import { MatrixWorkspace, type Matrix } from './matrix.js';
import { Tokenizer } from './tokenizer.js';
import { applyLinear, MODEL_WIDTH, readLinear, TransformerLayer } from './transformer-layer.js';

/** Numbers of a vector. */
export const VECTOR_SIZE = MODEL_WIDTH;

const EMBEDDING_WIDTH = 256;
/** What the model was made for; the rest of a longer text is not read. */
const MAX_TOKENS = 128;
/** No piece is longer than this on average, so that the tokens left out never decide the first ones. */
const MAX_CHARACTERS = 2_000;

/**
 * Universal Sentence Encoder, lite (Cer et al. 2018): embeddings of the pieces with a timing signal,
 * two layers of a transformer, their mean, a dense layer, unit length. English only: texts in other
 * languages get vectors that say little.
 */
export class Encoder {
  readonly #workspace = new MatrixWorkspace();
  readonly #tokenizer: Tokenizer;
  readonly #embeddings: Float32Array;
  readonly #timescales: Float32Array;
  readonly #layers: readonly TransformerLayer[];
  readonly #output;

  constructor(weights: EncoderWeights) {
    this.#tokenizer = new Tokenizer(weights.vocabulary);
    const pieces = weights.vocabulary.length + 2;
    this.#embeddings = weights.tensor('module/Embeddings_en', pieces * EMBEDDING_WIDTH).slice();
    this.#timescales = weights.tensor('TimingSignal/ExpandDims_1', EMBEDDING_WIDTH / 2).slice();
    this.#layers = [
      new TransformerLayer(this.#workspace, weights, 0, EMBEDDING_WIDTH),
      new TransformerLayer(this.#workspace, weights, 1, MODEL_WIDTH),
    ];
    this.#output = readLinear(
      this.#workspace,
      weights.tensor('tanh_layer_0/weights', MODEL_WIDTH * VECTOR_SIZE),
      weights.tensor('tanh_layer_0/bias', VECTOR_SIZE),
    );
  }

  /** A vector of unit length; of zeros for an empty text. */
  encode(text: string): Float32Array {
    const tokens = this.#tokenizer.encode(text.slice(0, MAX_CHARACTERS)).slice(0, MAX_TOKENS);
    if (tokens.length === 0) return new Float32Array(VECTOR_SIZE);
    const mark = this.#workspace.mark();
    let rows = this.#embed(tokens);
    for (const layer of this.#layers) rows = layer.apply(rows);
    const vector = this.#conclude(rows);
    this.#workspace.release(mark);
    return vector;
  }

  /** The model adds its embeddings to the ones that carry the signal: they count twice. */
  #embed(tokens: readonly number[]): Matrix {
    const rows = this.#workspace.allocate(tokens.length, EMBEDDING_WIDTH);
    const values = this.#workspace.values(rows);
    const half = EMBEDDING_WIDTH / 2;
    tokens.forEach((token, position) => {
      const from = token * EMBEDDING_WIDTH;
      const to = position * EMBEDDING_WIDTH;
      for (let i = 0; i < half; i++) {
        const angle = position * (this.#timescales[i] as number);
        values[to + i] = 2 * (this.#embeddings[from + i] as number) + Math.sin(angle);
        values[to + half + i] = 2 * (this.#embeddings[from + half + i] as number) + Math.cos(angle);
      }
    });
    return rows;
  }

  #conclude(rows: Matrix): Float32Array {
    const mean = this.#workspace.allocate(1, MODEL_WIDTH);
    const to = this.#workspace.values(mean).fill(0);
    const from = this.#workspace.values(rows);
    for (let i = 0; i < from.length; i++) {
      to[i % MODEL_WIDTH] = (to[i % MODEL_WIDTH] as number) + (from[i] as number) / rows.rows;
    }
    const output = applyLinear(this.#workspace, this.#output, mean, 1);
    const vector = this.#workspace.values(output).map(Math.tanh);
    const length = Math.hypot(...vector);
    return vector.map((value) => value / length);
  }
}
