import { parseSkillId, type SkillId } from '../../../../../src/kernel/ids.js';
import type { SkillTexts } from '../../../../../src/a2a/routing/text-classifier.js';

export const skillId = (text: string): SkillId => parseSkillId(text)!;

export function skill(
  id: string,
  description: string,
  examples: readonly string[] = [],
): SkillTexts {
  const name = id.replaceAll('-', ' ');
  return { skillId: skillId(id), name, description, tags: [], examples };
}

export const LOOKUP = skill('lookup-invoice', 'Finds an invoice and says what is on it.', [
  'show me invoice 4711',
  'has the bill from acme been paid',
  'what is the total of the march invoice',
  'find the bill that globex sent us',
]);

export const FLIGHT = skill('book-flight', 'Books a flight for a traveller.', [
  'book a flight to lisbon on monday',
  'i need a seat on the evening plane to oslo',
  'get two tickets to new york',
  'fly me from zurich to rome',
]);

export const PASSWORD = skill('reset-password', 'Lets someone who is locked out in again.', [
  'i forgot my password',
  'my account is locked',
  'send me a link for a new password',
  'i cannot sign in anymore',
]);

export const LEAVE = skill('request-leave', 'Files a request for holiday.', [
  'i want to take friday off',
  'book my vacation in august',
  'request two weeks of leave',
  'i would like to be on holiday from the first',
]);

export const FEW = [LOOKUP, FLIGHT, PASSWORD, LEAVE] as const;

/** So many skills, no two of the same words. */
export function many(count: number): SkillTexts[] {
  return Array.from({ length: count }, (_, i) =>
    skill(`skill-${i}`, `Does the thing called noun${i}.`, [
      `please verb${i} the noun${i}`,
      `i want noun${i} done`,
      `can someone verb${i} my noun${i} today`,
    ]),
  );
}

export const ids = (skills: readonly SkillTexts[]): SkillId[] => skills.map((one) => one.skillId);
