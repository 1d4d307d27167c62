import type { Capability } from '../../capabilities/domain/capability.js';
import type { SkillId } from '../../kernel/ids.js';
import type { A2aRefusal } from '../wire/refusal.js';

/** Media types that a refusal names. */
const MAX_NAMED = 20;

/**
 * No candidate takes parts of these media types. Names what those take that the caller may use, and
 * nothing of the others.
 */
export function noneTakes(usable: readonly Capability[]): A2aRefusal {
  const modes = new Set(usable.flatMap(({ manifest }) => manifest.skill.inputModes));
  const named = [...modes].sort().slice(0, MAX_NAMED).join(', ');
  return {
    error: 'ContentTypeNotSupported',
    code: 'input-modes-unmet',
    detail: 'Nothing that you may use here takes a message with parts of these media types.',
    ...(named === '' ? {} : { metadata: { inputModes: named } }),
  };
}

/**
 * The chosen capability produces nothing that the client accepts.
 * @param produced media types, by whatever would run it
 */
export function noneProduced({ manifest }: Capability, produced: readonly string[]): A2aRefusal {
  const modes = produced.slice(0, MAX_NAMED).join(', ');
  return {
    error: 'ContentTypeNotSupported',
    code: 'output-modes-unmet',
    detail: 'The capability produces none of the media types in acceptedOutputModes.',
    metadata: { skillId: manifest.id, outputModes: modes },
  };
}

/** The message is for a capability that is no more; its caller would have been entitled to it. */
export function removedSkill(skillId: SkillId, replacement: SkillId | null): A2aRefusal {
  return {
    error: 'UnsupportedOperation',
    code: 'skill-removed',
    detail:
      replacement === null
        ? `The skill ${skillId} has been removed.`
        : `The skill ${skillId} has been removed; use ${replacement} instead.`,
    metadata: { skillId, ...(replacement === null ? {} : { replacement }) },
  };
}
