import { decodeBase64Url } from '../../kernel/base64url.js';
import { parseSignedCheckpoint } from '../../kernel/checkpoint.js';
import type { EvidenceBundle, EvidenceEntry } from '../../kernel/evidence-bundle.js';
import type { InteractionStatus } from '../../kernel/federated-interaction.js';
import { validateEvidenceBundle } from '../../kernel/wire-schema.js';
import {
  checkpointFlaw,
  consistencyFlaw,
  unanchoredFlaw,
  witnessFlaw,
} from './bundle/checkpoint.js';
import { documentFlaw } from './bundle/document.js';
import {
  entriesOf,
  inclusionFlaw,
  shownEntries,
  streamFlaw,
  type ShownEntry,
} from './bundle/entries.js';
import { standsInLog } from './bundle/erasure.js';
import { MAX_PARTIES, neededStreams } from './bundle/needed-streams.js';
import { workFlaw } from './bundle/weight.js';
import {
  conclude,
  failure,
  gap,
  summarize,
  type CheckResult,
  type Flaw,
  type Verification,
} from './check-result.js';
import { asErased, lacksTexts, tellsErasure } from './erased-texts.js';
import { inWords } from './faults.js';
import { LogReplay } from './replay/log-replay.js';
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
  /** Contract revisions so far. */
  readonly revisions: number;
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
  const limits = conclude('limits', subject, limitsFlaw(parsed.value));
  if (limits.result !== 'verified') return only(schema, limits);
  return verifyParsed(parsed.value, trust, [schema, limits]);
}

function only(...checks: readonly CheckResult[]): BundleVerification {
  return { ...summarize(checks), state: null };
}

function limitsFlaw({ streams }: EvidenceBundle): Flaw | undefined {
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
  checks: CheckResult[],
): BundleVerification {
  const given = parseSignedCheckpoint(bundle.checkpoint);
  if (given === undefined) {
    checks.push(conclude('checkpoint', 'bundle', failure('checkpoint-malformed')));
    return only(...checks);
  }
  const { streams, audience, consistency, interactionId } = bundle;
  const own = `interaction-${interactionId}`;
  const needed = neededStreams(bundle, own);
  const names = [...needed, ...Object.keys(streams).filter((name) => !needed.includes(name))];
  const shown = [...shownEntries(bundle, names)];

  const name = `${given.checkpoint.origin}@${given.checkpoint.size}`;
  const lastIndex = shown.reduce((last, { entry }) => Math.max(last, entry.index), -1);
  checks.push(
    conclude('checkpoint', name, checkpointFlaw(given, consistency, audience, lastIndex, trust)),
  );
  for (const trusted of trust.checkpoints) {
    const of = `${trusted.checkpoint.origin}@${trusted.checkpoint.size}`;
    checks.push(conclude('consistency', of, consistencyFlaw(trusted, given, consistency)));
  }
  const from = consistency?.from;
  if (consistency && trust.checkpoints.every(({ checkpoint }) => checkpoint.size !== from)) {
    const of = `${given.checkpoint.origin}@${consistency.from}`;
    checks.push(conclude('consistency', of, unanchoredFlaw(given, consistency)));
  }
  for (const witness of trust.witnesses) {
    checks.push(conclude('witness', witness.name, witnessFlaw(given, witness)));
  }
  for (const stream of names) {
    const flaw = needed.includes(stream)
      ? streamFlaw(stream, entriesOf(streams, stream))
      : failure('stream-unexpected', stream);
    checks.push(conclude('stream', stream, flaw));
  }
  const indices = new Set<number>();
  for (const { stream, revision, entry } of shown) {
    const flaw = indices.has(entry.index)
      ? failure('index-repeated', `entry ${entry.index}`)
      : inclusionFlaw(entry, given.checkpoint);
    indices.add(entry.index);
    checks.push(conclude('inclusion', `${stream}@${revisionOf(entry) ?? revision}`, flaw));
  }

  const dataKey = bundle.dataKey === null ? undefined : decodeBase64Url(bundle.dataKey);
  const replay = new LogReplay({
    audience,
    partial: true,
    documents: true,
    dataKey: (stream) => (stream === own ? dataKey : undefined),
  });
  const events: CheckResult[] = [];
  let erasure: string | null = null;
  for (const { stream, revision, entry } of shown.toSorted(byIndex)) {
    if (!needed.includes(stream)) continue;
    const { index } = entry;
    const found =
      'envelope' in entry
        ? replay.add({ index, envelope: entry.envelope })
        : replay.withhold({ index, stream, revision: entry.revision });
    events.push(...found);
    const isErasure = 'envelope' in entry && tellsErasure(entry.envelope.type, found);
    const subject = `${stream}@${revision}`;
    if (isErasure && stream === own && standsInLog(checks, own, subject)) erasure = subject;
  }
  events.push(...replay.finish());
  const state = replay.interaction(interactionId);
  events.push(conclude('document', own, documentFlaw(bundle.document, state, erasure)));
  for (const each of events) {
    checks.push(erasure !== null && lacksTexts(each) ? asErased(each, erasure) : each);
  }
  return {
    ...summarize(checks),
    state:
      state?.sound === true
        ? {
            interactionId,
            status: state.status,
            revisions: state.revisions.length,
            index: state.index,
            size: given.checkpoint.size,
          }
        : null,
  };
}

function byIndex(a: ShownEntry, b: ShownEntry): number {
  return a.entry.index - b.entry.index;
}

/** The entry's own word, as long as it is a number. */
function revisionOf(entry: EvidenceEntry): number | undefined {
  const revision: unknown = 'envelope' in entry ? entry.envelope.revision : entry.revision;
  return typeof revision === 'number' ? revision : undefined;
}
