import { parseSignedCheckpoint, type SignedCheckpoint } from '../../kernel/checkpoint.js';
import type { EvidenceBundle, EvidenceEntry } from '../../kernel/evidence-bundle.js';
import type { InteractionStatus } from '../../kernel/federated-interaction.js';
import { validateEvidenceBundle } from '../../kernel/wire-schema.js';
import { checkCheckpoint } from './bundle/checkpoint-checks.js';
import {
  entriesOf,
  inclusionFlaw,
  shownEntries,
  streamFlaw,
  type ShownEntry,
} from './bundle/entries.js';
import { neededStreams } from './bundle/needed-streams.js';
import { replayEntries } from './bundle/replayed-entries.js';
import { workFlaw } from './bundle/work.js';
import {
  conclude,
  failure,
  gap,
  summarize,
  type CheckResult,
  type Flaw,
  type Verification,
} from './check-result.js';
import { inWords } from './faults.js';
import { MAX_PARTIES } from './limits.js';
import type { ReplayedInteraction } from './replay/replayed-interaction.js';
import type { Trust } from './trust.js';

/**
 * More entries than any honest interaction with its agents has, and so many that a party cannot make
 * its counterpart's evidence unverifiable by events of its own agent.
 */
const MAX_ENTRIES = 200_000;

/** What the bundle shows, as far as its entries go. */
export interface ShownState {
  readonly interactionId: string;
  readonly status: InteractionStatus;
  /** Place of the last event in the log, and the size of the tree that it stands in. */
  readonly index: number;
  readonly size: number;
}

export interface BundleVerification extends Verification {
  /** Null where no state follows from the events. */
  readonly state: ShownState | null;
}

/** Is this value meant as an evidence bundle? Says nothing of whether it is a good one. */
export function isBundle(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'bundle' in value;
}

/**
 * Verifies an evidence bundle offline: everything is recomputed from its events, and only `trust` is
 * trusted. `bundle` is what `parseStrictJson` made of its bytes; whatever it is, this neither throws
 * nor takes long. One result per check, in a fixed order: the bundle's form, the checkpoint, each
 * stream, each entry's place in the tree, each event in log order, the document.
 *
 * A stream's end is not proved by inclusion: whoever made the bundle may have left out the newest
 * events of a stream, and then it shows an earlier state, which was just as genuine. What decisions
 * were based on (`based-on`) is missed when it is left out; an event that no decision in the bundle
 * rests on is not. Who needs certainty about that reads the whole log.
 */
export function verifyBundle(bundle: unknown, trust: Trust): BundleVerification {
  const subject = 'bundle';
  const unworkable = workFlaw(bundle);
  if (unworkable !== undefined) return only(conclude('limits', subject, unworkable));
  const parsed = validateEvidenceBundle(bundle);
  if (!parsed.ok) {
    const flaw = failure('schema-violation', inWords(parsed.error));
    return only(conclude('schema', subject, flaw));
  }
  const schema = conclude('schema', subject, undefined);
  const limits = conclude('limits', subject, bundleLimitsFlaw(parsed.value));
  if (limits.result !== 'verified') return only(schema, limits);
  return verifyParsed(parsed.value, trust, [schema, limits]);
}

function only(...checks: readonly CheckResult[]): BundleVerification {
  return { ...summarize(checks), state: null };
}

function bundleLimitsFlaw({ streams }: EvidenceBundle): Flaw | undefined {
  const names = Object.keys(streams).length;
  if (names > MAX_PARTIES + 2) return failure('too-many', `${names} streams`);
  let entries = 0;
  for (const stream of Object.values(streams)) entries += stream.length;
  // However many there are, nothing is wrong with them: they are more than is looked at here.
  return entries > MAX_ENTRIES ? gap('too-many', `${entries} entries`) : undefined;
}

function verifyParsed(
  bundle: EvidenceBundle,
  trust: Trust,
  ofForm: readonly CheckResult[],
): BundleVerification {
  const given = parseSignedCheckpoint(bundle.checkpoint);
  if (given === undefined) {
    return only(...ofForm, conclude('checkpoint', 'bundle', failure('checkpoint-malformed')));
  }
  const streams = streamsOf(bundle);
  const shown = [...shownEntries(bundle, [...streams.needed, ...streams.others])];
  const inLog = [
    ...checkCheckpoint(bundle, given, trust, lastIndexOf(shown)),
    ...checkStreams(bundle, streams),
    ...checkInclusion(shown, given),
  ];
  const needed = new Set(streams.needed);
  const relevant = shown.filter(({ stream }) => needed.has(stream));
  const replayed = replayEntries(bundle, relevant, inLog);
  return {
    ...summarize([...ofForm, ...inLog, ...replayed.checks]),
    state: shownState(replayed.state, given.checkpoint.size),
  };
}

interface BundleStreams {
  /** The interaction's own first. */
  readonly needed: readonly string[];
  readonly others: readonly string[];
}

function streamsOf(bundle: EvidenceBundle): BundleStreams {
  const needed = neededStreams(bundle);
  const others = Object.keys(bundle.streams).filter((name) => !needed.includes(name));
  return { needed, others };
}

function lastIndexOf(shown: readonly ShownEntry[]): number {
  return shown.reduce((last, { entry }) => Math.max(last, entry.index), -1);
}

function checkStreams(
  { streams }: EvidenceBundle,
  { needed, others }: BundleStreams,
): readonly CheckResult[] {
  return [
    ...needed.map((name) => conclude('stream', name, streamFlaw(name, entriesOf(streams, name)))),
    ...others.map((name) => conclude('stream', name, failure('stream-unexpected', name))),
  ];
}

/** Each entry stands at its place of the checkpoint's tree, and none at another's. */
function checkInclusion(
  shown: readonly ShownEntry[],
  { checkpoint }: SignedCheckpoint,
): readonly CheckResult[] {
  const indices = new Set<number>();
  return shown.map(({ stream, revision, entry }) => {
    const flaw = indices.has(entry.index)
      ? failure('index-repeated', `entry ${entry.index}`)
      : inclusionFlaw(entry, checkpoint);
    indices.add(entry.index);
    return conclude('inclusion', `${stream}@${revisionOf(entry) ?? revision}`, flaw);
  });
}

function shownState(state: ReplayedInteraction | undefined, size: number): ShownState | null {
  if (state?.sound !== true) return null;
  const { interactionId, status, index } = state;
  return { interactionId, status, index, size };
}

/** The entry's own word, as long as it is a number. */
function revisionOf(entry: EvidenceEntry): number | undefined {
  const revision: unknown = 'envelope' in entry ? entry.envelope.revision : entry.revision;
  return typeof revision === 'number' ? revision : undefined;
}
