import type { Capability } from '../../capabilities/domain/capability.js';
import { directInvokeDeclarations } from '../../capabilities/domain/card-direct-invoke.js';
import { publicSkills } from '../../capabilities/domain/card-skills.js';
import { entitled } from '../../capabilities/domain/entitlement.js';
import type { SkillId } from '../../kernel/ids.js';

/** What a skill takes of a card that lists it, in bytes of JSON without spaces. */
export interface SkillSize {
  readonly id: SkillId;
  /** False: only in the extended cards of those who may use it. */
  readonly isPublic: boolean;
  /** Its entry in `skills`. */
  readonly skill: number;
  /** Its entry in `params.skills` of skill-direct-invoke, its name included; 0 without one. */
  readonly directInvoke: number;
}

/** The sizes of all skills that some card lists, in the order of the registry. */
export function skillSizes(capabilities: ReadonlyMap<SkillId, Capability>): readonly SkillSize[] {
  const shown = new Map(
    [...capabilities].flatMap(([id, each]): [SkillId, Capability][] => {
      const { state, visibility } = each.manifest;
      return state === 'removed' || visibility === 'internal' ? [] : [[id, forEverybody(each)]];
    }),
  );
  const skills = publicSkills(shown);
  const declarations = directInvokeDeclarations(shown, skills, () => true);
  return skills.map((skill) => {
    const { id } = skill;
    const declaration = declarations[id];
    const capability = capabilities.get(id);
    return {
      id,
      isPublic: capability !== undefined && entitled(capability, null),
      skill: bytesOf(skill),
      directInvoke: declaration === undefined ? 0 : bytesOf(id) + 1 + bytesOf(declaration),
    };
  });
}

/** As its readers see it, whoever they are. */
function forEverybody(capability: Capability): Capability {
  const { manifest } = capability;
  const state = manifest.state === 'preview' ? 'ga' : manifest.state;
  return {
    ...capability,
    manifest: { ...manifest, state, visibility: 'public', requiresScopes: [], tenants: '*' },
  };
}

/** UTF-8 bytes of a value as JSON without spaces. */
export function bytesOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}
