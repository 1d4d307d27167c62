import { readFileSync } from 'node:fs';
import type { Prior } from './confidence.js';
import { VECTOR_SIZE } from './encoder.js';
import type { KernelKind } from './kernel.js';

/** From the sources as from what is built of them; see the README beside the files. */
const FOLDER = new URL('../../../../assets/routing/', import.meta.url);

/** Learned elsewhere, shipped with the project. */
export interface RoutingAssets {
  /** Utterances that are for none of the skills. */
  readonly background: readonly string[];
  /** For registries with the background as a class, and for larger ones without. */
  readonly priors: Readonly<Record<KernelKind, { readonly small: Prior; readonly large: Prior }>>;
}

export function readAssets(): RoutingAssets {
  return {
    background: readJson('background.json') as string[],
    priors: readJson('confidence.json') as RoutingAssets['priors'],
  };
}

/** Row-major: what each coordinate of the encoder's vector adds to those of the mapped one. */
export function readCovarianceMap(): Float32Array {
  const bytes = readFileSync(new URL('within-class-covariance.f32', FOLDER));
  const stored = new Float32Array(new Uint8Array(bytes).buffer);
  return stored.map((_, at) => {
    const [from, to] = [Math.floor(at / VECTOR_SIZE), at % VECTOR_SIZE];
    return stored[to * VECTOR_SIZE + from] as number;
  });
}

function readJson(file: string): unknown {
  return JSON.parse(readFileSync(new URL(file, FOLDER), 'utf8'));
}
