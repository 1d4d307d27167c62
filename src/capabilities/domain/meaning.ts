import { canonicalJson } from '../../kernel/canonical-json.js';
import type { Manifest } from './manifest.js';

/**
 * Do two manifests of one id take and give the same? Callers key on ids: another set of modes, other
 * schemas, or none where there were some, is another capability. Schemas where there were none are
 * an offer, which breaks nobody.
 */
export function sameMeaning(before: Manifest, after: Manifest): boolean {
  return (
    sameSet(before.skill.inputModes, after.skill.inputModes) &&
    sameSet(before.skill.outputModes, after.skill.outputModes) &&
    (before.directInvoke === null || schemas(before) === schemas(after))
  );
}

function sameSet(a: readonly string[], b: readonly string[]): boolean {
  return canonicalJson([...a].sort()) === canonicalJson([...b].sort());
}

function schemas({ directInvoke }: Manifest): string {
  return canonicalJson(directInvoke && [directInvoke.inputSchema, directInvoke.outputSchema]);
}
