import { readdirSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { LogReplay } from '../../../../src/audit/verify/replay/log-replay.js';
import type { EventEnvelope } from '../../../../src/kernel/envelope.js';
import { deriveUuid } from '../../../../src/kernel/ids.js';
import { readStored } from '../../../golden/stored-log.js';
import { AUDIENCE } from '../../../support/interaction-fixtures.js';
import { envelope } from '../../support/bundles.js';

const GOLDEN = new URL('../../../golden/', import.meta.url);

const stored = (file: string): readonly EventEnvelope[] => readStored(new URL(file, GOLDEN)).events;

/** Subjects of the events whose ids are not what their commands lead to. */
function wrongIds(events: readonly EventEnvelope[], partial = false): readonly string[] {
  const replay = new LogReplay({ audience: AUDIENCE, partial });
  return events.flatMap((event, index) =>
    replay
      .add({ index, envelope: event })
      .filter(({ reason }) => reason === 'event-id-wrong')
      .map(({ check, result, subject }) => `${check} ${result} ${subject}`),
  );
}

const withId = (event: EventEnvelope, ...name: readonly unknown[]): EventEnvelope => ({
  ...event,
  id: deriveUuid(['event', ...name]),
});

it.each([
  'agents/lives.json',
  'platform-keys.json',
  'capabilities.json',
  'cards.json',
  'invocations.json',
  'invocations-by-contract.json',
  ...readdirSync(new URL('interactions/', GOLDEN)).map((file) => `interactions/${file}`),
])('the ids in %s are what the writer of its time derived', (file) => {
  expect(wrongIds(stored(file))).toEqual([]);
});

describe.each([
  'capability-finance-agent/reconcile-invoice',
  'card-finance-agent',
  'invocation-99fa5a81-658f-42ec-a551-be56b28e3726',
])('of %s', (stream) => {
  const event = envelope(stream, 0, 'something-happened', {});
  const { commandId } = event.metadata;

  it('an id is that of the one event of its command in its stream', () => {
    expect(wrongIds([event])).toEqual([]);
    for (const other of [
      withId(event, stream, commandId, 1),
      withId(event, commandId, 0),
      withId(event, `${stream}-other`, commandId, 0),
      withId(event, stream, event.id, 0),
    ]) {
      expect(wrongIds([other])).toEqual([`envelope failed ${stream}@0`]);
    }
  });
});

describe('of the platform keys', () => {
  const stream = 'platform-keys';
  const registered = ['first', 'first', 'first', 'second', 'second'];
  /** A start registers several keys. */
  const log = registered.map((command, revision) => {
    const index = revision - registered.indexOf(command);
    return envelope(stream, revision, 'something-happened', {}, undefined, command, index);
  });

  it('an id tells how many events of the same start stand before it', () => {
    expect(wrongIds(log)).toEqual([]);
    const old = log.map((event, revision) =>
      withId(
        event,
        event.metadata.commandId,
        revision - registered.indexOf(registered[revision] ?? ''),
      ),
    );
    expect(wrongIds(old)).toEqual([]);
  });

  it.each([0, 1, 2, 3, 4])('another id of event %i is found, and nothing else', (place) => {
    const index = place - registered.indexOf(registered[place] ?? '');
    for (const other of [index + 1, index - 1, 0, 1].filter((each) => each !== index)) {
      const events = log.map((event, nth) =>
        nth === place ? withId(event, stream, event.metadata.commandId, other) : event,
      );
      expect(wrongIds(events)).toEqual([`envelope failed ${stream}@${place}`]);
    }
  });

  it('behind a gap nothing is said of a start whose beginning may be missing', () => {
    expect(wrongIds(log.slice(1), true)).toEqual([]);
    const [, , third, fourth, fifth] = log as [never, never, ...EventEnvelope[]];
    const wrong = fifth && withId(fifth, stream, fifth.metadata.commandId, 0);
    const events = [third, fourth, wrong].filter((event) => event !== undefined);
    expect(wrongIds(events, true)).toEqual([`envelope failed ${stream}@4`]);
  });
});
