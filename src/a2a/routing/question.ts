import type { Capability } from '../../capabilities/domain/capability.js';
import type { Part } from '../wire/types.js';

/** Longest name of a skill in a question, in characters. */
const MAX_NAME_LENGTH = 120;

/** Asks what a message is for. Only skills that the caller may use are ever handed to this. */
export function questionAbout(among: readonly Capability[]): readonly Part[] {
  const [only] = among;
  if (only !== undefined && among.length === 1) {
    return [{ text: `Is this for ${named(only)}? Answer with its name, or say what you need.` }];
  }
  const names = among.map(named);
  return [
    {
      text:
        `Which of these is this for: ${names.join('; ')}? ` +
        'Answer with a name, or say more about what you need.',
    },
  ];
}

function named({ manifest }: Capability): string {
  const { name } = manifest.skill;
  const shown = name.length > MAX_NAME_LENGTH ? `${name.slice(0, MAX_NAME_LENGTH)}…` : name;
  return `“${shown}” (${manifest.id})`;
}
