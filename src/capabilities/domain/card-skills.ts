import type { Caller } from '../../kernel/caller.js';
import { hashJson } from '../../kernel/digest.js';
import type { SkillId } from '../../kernel/ids.js';
import type { Capability } from './capability.js';
import type { DirectInvokeDeclarations } from './card-direct-invoke.js';
import { entitled } from './entitlement.js';
import type { Skill } from './manifest.js';

/** A skill as a card lists it: AgentSkill of A2A v1.0, ProtoJSON. All that is said of a capability. */
export interface CardSkill {
  readonly id: SkillId;
  readonly name: string;
  readonly description: string;
  readonly tags: readonly string[];
  /** Absent when there are none, like every member that is not REQUIRED. */
  readonly examples?: readonly string[];
  readonly inputModes?: readonly string[];
  readonly outputModes?: readonly string[];
}

type Capabilities = ReadonlyMap<SkillId, Capability>;

/** What anybody may know: the skills of the public card, in the order of the registry. */
export function publicSkills(capabilities: Capabilities): readonly CardSkill[] {
  return skillsFor(capabilities, null);
}

/** What this caller may use: the skills of its extended card, in the order of the registry. */
export function extendedSkills(capabilities: Capabilities, caller: Caller): readonly CardSkill[] {
  return skillsFor(capabilities, caller);
}

/**
 * What tells what one card says of capabilities from what another one says: b64u(SHA-256(JCS(skills)))
 * where none of them can be invoked directly, else b64u(SHA-256(JCS([skills, declarations]))).
 */
export function skillsDigest(
  skills: readonly CardSkill[],
  declarations: DirectInvokeDeclarations,
): string {
  const areNone = Object.keys(declarations).length === 0;
  return hashJson(areNone ? skills : [skills, declarations]);
}

/**
 * Whether anything is there for an extended card: an extended capability, or a preview, that is
 * neither removed nor internal. Public cards say so to everybody.
 */
export function hasExtendedSkills(capabilities: Capabilities): boolean {
  for (const { manifest } of capabilities.values()) {
    const { state, visibility } = manifest;
    if (state === 'removed' || visibility === 'internal') continue;
    if (visibility === 'extended' || state === 'preview') return true;
  }
  return false;
}

function skillsFor(capabilities: Capabilities, caller: Caller | null): readonly CardSkill[] {
  const skills: CardSkill[] = [];
  for (const capability of capabilities.values()) {
    if (entitled(capability, caller)) skills.push(cardSkill(capability, capabilities, caller));
  }
  return skills;
}

function cardSkill(
  { manifest }: Capability,
  capabilities: Capabilities,
  caller: Caller | null,
): CardSkill {
  const { id, skill, state } = manifest;
  const { name, tags } = skill;
  const isDeprecated = state === 'deprecated';
  const successor = isDeprecated ? visibleReplacement(manifest, capabilities, caller) : undefined;
  const notice = successor === undefined ? 'Deprecated.' : `Deprecated: use ${successor} instead.`;
  return {
    id,
    name,
    description: isDeprecated ? `${notice} ${skill.description}` : skill.description,
    tags,
    ...unlessEmpty('examples', skill),
    ...unlessEmpty('inputModes', skill),
    ...unlessEmpty('outputModes', skill),
  };
}

/** A replacement that the caller may not use does not exist for it. */
function visibleReplacement(
  { replacement }: Capability['manifest'],
  capabilities: Capabilities,
  caller: Caller | null,
): SkillId | undefined {
  const successor = replacement === null ? undefined : capabilities.get(replacement);
  if (successor === undefined || !entitled(successor, caller)) return undefined;
  return successor.manifest.id;
}

function unlessEmpty<Member extends 'examples' | 'inputModes' | 'outputModes'>(
  member: Member,
  skill: Skill,
): { readonly [Name in Member]?: readonly string[] } {
  const values = skill[member];
  return values.length === 0 ? {} : ({ [member]: values } as { [Name in Member]: typeof values });
}
