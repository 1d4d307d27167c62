import { readFileSync } from 'node:fs';
import type { SkillId } from '../../src/kernel/ids.js';
import type { SkillTexts } from '../../src/a2a/routing/text-classifier.js';

/** What a data file holds; other members are left alone. */
export interface RoutingData {
  readonly skills: readonly SkillTexts[];
  /** `skill` null: meant for none of them. */
  readonly test: readonly RoutingCase[];
}

export interface RoutingCase {
  readonly text: string;
  readonly skill: SkillId | null;
}

interface DataFile {
  readonly skills: readonly (Omit<SkillTexts, 'skillId' | 'tags'> & {
    readonly id: string;
    readonly tags?: readonly string[];
  })[];
  readonly test: readonly RoutingCase[];
  /** Texts for none of the skills, where a file keeps them apart. */
  readonly oosTest?: readonly RoutingCase[];
}

export function readRoutingData(path: string | URL): RoutingData {
  const { skills, test, oosTest = [] } = JSON.parse(readFileSync(path, 'utf8')) as DataFile;
  return {
    skills: skills.map(({ id, name, description, tags = [], examples }) => ({
      skillId: id as SkillId,
      name,
      description,
      tags,
      examples,
    })),
    test: [...test, ...oosTest],
  };
}

const VERBS = [
  ['cancel', 'Cancels', 'drop', 'i no longer want', 'please call off'],
  ['find', 'Finds', 'look up', 'where is', 'show me'],
  ['create', 'Creates', 'add', 'i need a new', 'set up'],
  ['send', 'Sends', 'mail', 'forward', 'pass on'],
  ['approve', 'Approves', 'sign off', 'release', 'i agree with'],
  ['archive', 'Archives', 'put away', 'store for good', 'file'],
  ['translate', 'Translates', 'say in german', 'i do not understand', 'give me in french'],
  ['summarize', 'Summarizes', 'shorten', 'what are the main points of', 'sum up'],
  ['schedule', 'Schedules', 'plan', 'find a date for', 'put in the calendar'],
  ['price', 'Prices', 'what costs', 'make an offer for', 'calculate'],
] as const;

const OBJECTS = [
  'invoice',
  'shipment',
  'contract',
  'meeting',
  'holiday request',
  'expense report',
  'purchase order',
  'job application',
  'support ticket',
  'press release',
  'insurance claim',
  'lab result',
  'flight booking',
  'hotel room',
  'training course',
  'software licence',
  'delivery note',
  'customer survey',
  'bank transfer',
  'building permit',
];

/** Two hundred skills with five examples each, to take times with. */
export function manySkills(): SkillTexts[] {
  return VERBS.flatMap(([verb, does, ...ways]) =>
    OBJECTS.map((object) => ({
      skillId: `${verb}-${object.replaceAll(' ', '-')}` as SkillId,
      name: `${verb} ${object}`,
      description: `${does} the ${object} that the caller names.`,
      tags: [],
      examples: [
        `${verb} this ${object} for me`,
        `can you ${verb} the ${object} from last week`,
        ...ways.map((way) => `${way} the ${object}`),
      ],
    })),
  );
}
