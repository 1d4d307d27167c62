import { readdirSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { ReplayOptions } from '../../../../src/audit/verify/replay/entry.js';
import { LogReplay } from '../../../../src/audit/verify/replay/log-replay.js';
import { isEnded } from '../../../../src/audit/verify/replay/replayed-interaction.js';
import { wireDocument } from '../../../../src/audit/verify/replay/wire-document.js';
import type { EventEnvelope } from '../../../../src/kernel/envelope.js';
import { deriveUuid } from '../../../../src/kernel/ids.js';
import { AUDIENCE } from '../../../support/interaction-fixtures.js';
import { golden, preludeOf } from '../../support/bundles.js';
import { RestingMap } from './support/resting-map.js';

const names = ['interactions', 'interactions-erased'].flatMap((folder) =>
  readdirSync(new URL(`../../../golden/${folder}/`, import.meta.url)).map((file) =>
    folder === 'interactions' ? file.slice(0, -5) : `../${folder}/${file.slice(0, -5)}`,
  ),
);

interface Told {
  readonly log: readonly EventEnvelope[];
  readonly options: ReplayOptions;
}

function toldOf(name: string, documents: boolean): Told {
  const told = golden(name);
  // Where the texts are erased there are none.
  const keys: Readonly<Record<string, string>> | undefined = told.dataKeys;
  const dataKey = (stream: string): Uint8Array | undefined => {
    const key = keys?.[stream];
    return key === undefined ? undefined : Buffer.from(key, 'base64url');
  };
  return {
    log: [...preludeOf(told), ...told.events],
    options: { audience: AUDIENCE, documents, dataKey },
  };
}

/** All that a replay says of these entries; `rests` says behind which all states are put to rest. */
function outcome(
  log: readonly EventEnvelope[],
  options: ReplayOptions,
  rests: (place: number) => boolean,
): unknown {
  const replay = new LogReplay(options);
  const release = (stream: string): void => {
    const id = stream.replace('interaction-', '');
    const state = replay.interaction(id);
    if (options.documents !== true && state !== undefined && isEnded(state)) replay.release(id);
  };
  const results = log.map((envelope, index) => {
    const found = replay.add({ index, envelope });
    release(envelope.stream);
    if (rests(index)) replay.rest();
    return found;
  });
  const states = [...replay.interactionsSince(0)].map((id) => {
    const state = replay.interaction(id);
    return [id, state, state && wireDocument(state)];
  });
  return { results, states, owed: replay.finish() };
}

const restingPlace = (): RestingMap => new RestingMap();

describe.each([true, false])('an interaction that rests (documents: %s)', (documents) => {
  it.each(names)('answers as one that is awake, after each of its events: %s', (name) => {
    const { log, options } = toldOf(name, documents);
    const awake = outcome(log, options, () => false);
    expect(outcome(log, { ...options, restingPlace }, () => true)).toEqual(awake);
  });

  it('answers so whatever is changed in its log, and whenever it rests', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...names),
        fc.array(fc.tuple(fc.constantFrom('drop', 'repeat', 'swap', 'alter'), fc.nat()), {
          maxLength: 3,
        }),
        fc.func(fc.boolean()),
        (name, changes, rests) => {
          const { log, options } = toldOf(name, documents);
          const changed = changes.reduce(change, log);
          const awake = outcome(changed, options, () => false);
          expect(outcome(changed, { ...options, restingPlace }, rests)).toEqual(awake);
        },
      ),
      { numRuns: 40 },
    );
  });
});

function change(
  log: readonly EventEnvelope[],
  [what, nth]: readonly [string, number],
): readonly EventEnvelope[] {
  const place = nth % Math.max(1, log.length);
  const event = log[place];
  if (event === undefined) return log;
  if (what === 'drop') return log.toSpliced(place, 1);
  if (what === 'repeat') return [...log, event];
  if (what === 'swap') return [...log.toSpliced(place, 1), event];
  const { basedOn } = event.metadata;
  const metadata = { ...event.metadata, basedOn: { ...basedOn, 'platform-keys': 9 } };
  return log.with(place, { ...event, metadata });
}

describe('a log of very many interactions', () => {
  const COUNT = 1_500;
  /** Of a revision with its hashes, and of what stays when all has ended. */
  const MOST_BYTES = 1_000;

  it('leaves a bounded number awake, and of each that rests a bounded text', () => {
    const told = golden('negotiated-amended-completed');
    const places = new Map<string, RestingMap>();
    const replay = new LogReplay({
      audience: AUDIENCE,
      restingPlace: (kind) => {
        const place = new RestingMap();
        places.set(kind, place);
        return place;
      },
    });
    const prelude = preludeOf(told);
    let index = 0;
    for (const envelope of prelude) replay.add({ index: index++, envelope });
    for (let n = 0; n < COUNT; n++) {
      const interactionId = deriveUuid(['resting', n]);
      for (const envelope of told.events.map((event) => ofInteraction(event, interactionId))) {
        replay.add({ index: index++, envelope });
      }
      replay.release(interactionId);
    }
    const { interactions = new RestingMap(), tails = new RestingMap() } =
      Object.fromEntries(places);
    expect(COUNT - interactions.texts.size).toBeLessThanOrEqual(512);
    expect(COUNT - tails.texts.size).toBeLessThanOrEqual(512);
    replay.rest();
    expect([interactions.texts.size, tails.texts.size]).toEqual([COUNT, COUNT]);
    const sizes = [...interactions.texts.values()].map((text) => text.length);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(MOST_BYTES);
    expect([...replay.interactionsSince(0)]).toHaveLength(COUNT);
    const last = told.events.at(-1) as EventEnvelope;
    const late = ofInteraction(last, deriveUuid(['resting', 0]));
    const again = replay.add({ index, envelope: { ...late, revision: late.revision + 1 } });
    expect(again.find(({ check }) => check === 'transition')).toMatchObject({
      result: 'failed',
      reason: 'illegal-transition',
    });
    expect(replay.add({ index: index + 1, envelope: late })).toContainEqual(
      expect.objectContaining({ check: 'stream-order', reason: 'revision-gap' }),
    );
  });
});

/** Its signatures then fit no more, which changes nothing of its state. */
function ofInteraction(event: EventEnvelope, interactionId: string): EventEnvelope {
  return {
    ...event,
    stream: `interaction-${interactionId}`,
    data: { ...event.data, interactionId },
  };
}
