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

/** Row-major: what the mapped vector's coordinates take of the encoder's. */
export function readCovarianceMap(): Float32Array {
  const bytes = readFileSync(new URL('within-class-covariance.f32', FOLDER));
  return new Float32Array(new Uint8Array(bytes).buffer, 0, VECTOR_SIZE * VECTOR_SIZE);
}

function readJson(file: string): unknown {
  return JSON.parse(readFileSync(new URL(file, FOLDER), 'utf8'));
}
