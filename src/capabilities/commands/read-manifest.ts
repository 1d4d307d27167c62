import type { AgentId } from '../../kernel/ids.js';
import type { Rejection } from '../../kernel/rejection.js';
import { err, ok, type Result } from '../../kernel/result.js';
import type { Manifest } from '../domain/manifest.js';
import { brokenRules, brokenRulesRefusal } from '../domain/manifest-rules.js';
import { readManifestMembers } from '../domain/parse-manifest.js';
import { schemaFaults } from './capability-schemas.js';

/** More would help nobody. */
const MAX_FAULTS = 100;

/**
 * Reads a manifest document and judges all of it that can be judged without the registry: shape
 * (`parse-manifest.ts`), schemas, and the rules between members as far as these could be read.
 *
 * Refuses with every fault at once, each with its JSON pointer: with the code of the rule when that
 * is all that is wrong, with `manifest-invalid` otherwise. Details of rules begin with their codes.
 *
 * @param value parsed JSON
 * @param defaultAgent whose capability it is when the document does not say
 */
export function readManifest(value: unknown, defaultAgent: AgentId): Result<Manifest, Rejection> {
  const { members, faults } = readManifestMembers(value, defaultAgent);
  const wrong = [...faults, ...schemaFaults(members.directInvoke)];
  const broken = brokenRules(members, faults);
  const refusal = brokenRulesRefusal(broken);
  if (wrong.length > 0) {
    const all = [...wrong, ...(refusal?.faults ?? [])].slice(0, MAX_FAULTS);
    return err({ code: 'manifest-invalid', faults: all });
  }
  // Without a fault every member was read.
  return refusal === undefined ? ok(members as Manifest) : err(refusal);
}
