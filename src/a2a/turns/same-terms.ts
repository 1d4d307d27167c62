import type { Manifest } from '../../capabilities/domain/manifest.js';
import { canonicalJson } from '../../kernel/canonical-json.js';

/**
 * Would a call that was admitted under the one manifest be the same call under the other: by the same
 * handler, within the same limits, with the same modes, schemas and backend, under the same demand for
 * a contract? What else a revision changes is no reason not to run. Who may call is another question
 * (`authorize`).
 */
export function sameTerms(admitted: Manifest, now: Manifest): boolean {
  return admitted === now || termsOf(admitted) === termsOf(now);
}

function termsOf(manifest: Manifest): string {
  const { handler, limits, skill, requiresContract, action, data, callers, directInvoke } =
    manifest;
  const modes = [[...skill.inputModes].sort(), [...skill.outputModes].sort()];
  return canonicalJson([
    handler,
    limits,
    modes,
    requiresContract,
    action,
    [...data].sort(),
    callers,
    directInvoke && { ...directInvoke },
  ]);
}
