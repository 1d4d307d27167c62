import type { Capability } from '../../capabilities/domain/capability.js';
import { SharedWork } from '../../capabilities/queries/schemas/work-budget.js';
import type { Json } from '../../kernel/json.js';
import type { Part } from '../wire/types.js';
import type { Candidates } from './candidates.js';
import type { RoutingLayer } from './decision.js';
import { certain, type Finding } from './findings.js';
import type { SchemaCheck } from './input-schemas.js';
import { structureStep, type Explain } from './routing-step.js';
import type { RoutingSubject } from './routing-subject.js';

/** Asks the layers that look at the form of a message alone. */
export function byStructure(
  { parts, preferredSkill, answer }: RoutingSubject,
  { all, fitting }: { readonly all: Candidates; readonly fitting: Candidates },
  fits: SchemaCheck,
  explain?: Explain,
): Finding | undefined {
  const isAlone = !all.hasRivals;
  const layers: readonly (readonly [RoutingLayer, () => Capability | undefined])[] = [
    [
      'media-type',
      // One that is left only since others are hidden from the caller may still be the wrong one.
      () => (isAlone || fitting.hasRivals ? undefined : onlyOne(fitting)),
    ],
    ['input-schema', () => (hasData(parts) ? byInputSchema(fitting, parts, fits) : undefined)],
    ['only-capability', () => (isAlone ? onlyOne(fitting) : undefined)],
    ['preferred-skill', () => preferred(fitting, preferredSkill) ?? namedBy(fitting, answer)],
  ];
  for (const [layer, find] of layers) {
    const capability = find();
    explain?.(() => structureStep(layer, capability));
    if (capability !== undefined) return certain(layer, capability);
  }
  return undefined;
}

function onlyOne({ usable, gone }: Candidates): Capability | undefined {
  return usable.length + gone.length === 1 ? (usable[0] ?? gone[0]) : undefined;
}

/** Data parts that are looked at; of more than these, none: the one left out might speak for another. */
export const MAX_DATA_PARTS = 8;
/** Input schemas that data is compared with; of more than these, none. */
const MAX_SCHEMAS = 1000;
/** That all comparisons of a message take together: some tens of milliseconds of the thread that all share. */
const MAX_STEPS = 500_000;

/**
 * The one capability into whose input schema a data part fits. Undefined when there is none, when a
 * part fits several, those counted that are hidden from the caller, when the parts speak for
 * different ones, when there are too many, or when to compare them takes too many steps. A removed
 * capability yields to a candidate that takes the very same data.
 */
function byInputSchema(
  candidates: Candidates,
  parts: readonly Part[],
  fits: SchemaCheck,
): Capability | undefined {
  const usable = candidates.usable.filter(hasSchema);
  const gone = candidates.gone.filter(hasSchema);
  const { hidden } = candidates;
  if (usable.length + gone.length + hidden.length > MAX_SCHEMAS) return undefined;
  const data = dataOf(parts);
  if (data.length > MAX_DATA_PARTS) return undefined;
  const named = new Set<Capability>();
  const work = new SharedWork(MAX_STEPS);
  for (const value of data) {
    const takes = ({ manifest: { directInvoke } }: Capability): boolean =>
      directInvoke !== null && !work.isSpent && fits(directInvoke.inputSchema, value, work);
    const live = usable.filter(takes);
    const matching = live.length > 0 ? live : gone.filter(takes);
    const [only] = matching;
    // One that is left only since others are hidden from the caller may still be the wrong one.
    if (matching.length === 1 && only !== undefined && !hidden.some(takes)) named.add(only);
  }
  const [only] = named;
  return named.size === 1 && !work.isSpent ? only : undefined;
}

function hasData(parts: readonly Part[]): boolean {
  return parts.some(({ data }) => data !== undefined);
}

function dataOf(parts: readonly Part[]): readonly Json[] {
  return parts.flatMap(({ data }) => (data === undefined ? [] : [data]));
}

function hasSchema({ manifest }: Capability): boolean {
  return manifest.directInvoke !== null;
}

/** An id that names no candidate says nothing, whether it is unknown or somebody else's. */
function preferred(
  { usable, gone }: Candidates,
  skillId: string | undefined,
): Capability | undefined {
  if (skillId === undefined) return undefined;
  const isMeant = ({ manifest }: Capability) => manifest.id === skillId;
  return usable.find(isMeant) ?? gone.find(isMeant);
}

/** The candidate whose name or id is all that the answer to a question says. */
function namedBy({ usable }: Candidates, answer: string): Capability | undefined {
  const said = plain(answer);
  if (said === '') return undefined;
  const meant = usable.filter(
    ({ manifest }) => plain(manifest.id) === said || plain(manifest.skill.name) === said,
  );
  return meant.length === 1 ? meant[0] : undefined;
}

/** Longest answer that may be a mere name. */
const MAX_NAME_LENGTH = 512;

function plain(text: string): string {
  if (text.length > MAX_NAME_LENGTH) return '';
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}
