import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { Encoder, VECTOR_SIZE } from './encoder.js';
import { readEncoderWeights } from './encoder-weights.js';
import { readCovarianceMap } from './assets.js';
import { RowProduct } from './row-product.js';

/** 2 KiB each. */
const MAX_KEPT = 8_192;

/**
 * Vectors of texts: the encoder's, mapped so that directions in which the texts of one skill differ
 * count for less (within-class covariance normalization, Hatch et al. 2006), of unit length.
 */
export class Vectors {
  #encoder: Encoder | undefined;
  #map: RowProduct | undefined;
  readonly #kept = new LRUCache<string, Float32Array>({ max: MAX_KEPT });

  has(text: string): boolean {
    return this.#kept.has(keyOf(text));
  }

  /** Milliseconds of work for a text that is not kept; it is not kept afterwards either. */
  of(text: string): Float32Array {
    return this.#kept.get(keyOf(text)) ?? this.#encode(text);
  }

  /** Keeps the vector of a text that will be needed again. */
  keep(text: string): void {
    if (!this.has(text)) this.#kept.set(keyOf(text), this.#encode(text));
  }

  #encode(text: string): Float32Array {
    // Read at the first text: until then, words can answer without waiting for it.
    this.#encoder ??= new Encoder(readEncoderWeights());
    this.#map ??= new RowProduct(readCovarianceMap(), VECTOR_SIZE, VECTOR_SIZE);
    const mapped = this.#map.multiply(this.#encoder.encode(text));
    const length = Math.sqrt(mapped.reduce((sum, value) => sum + value * value, 0));
    return length === 0 ? mapped : mapped.map((value) => value / length);
  }
}

function keyOf(text: string): string {
  return createHash('sha256').update(text).digest('base64');
}
