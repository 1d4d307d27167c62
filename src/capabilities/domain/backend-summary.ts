import { canonicalJson } from '../../kernel/canonical-json.js';
import type { JsonObject } from '../../kernel/json.js';
import type { Manifest } from './manifest.js';

/**
 * Does a manifest's `direct_invoke.backend`, which cards publish, equal what the backend says of itself
 * that is bound to its handler? Without a binding there is nothing that it could contradict: such
 * calls are refused when they are made.
 */
export function isSummaryTrue({ directInvoke }: Manifest, bound: JsonObject | null): boolean {
  if (directInvoke === null || bound === null) return true;
  return canonicalJson(directInvoke.backend) === canonicalJson(bound);
}
