import { describe, expect, it } from '@jest/globals';
import { verifyBundle } from '../../../src/audit/verify/verify-bundle.js';
import type { EventEnvelope } from '../../../src/kernel/envelope.js';
import type { EvidenceBundle } from '../../../src/kernel/evidence-bundle.js';
import { timestampOf, type Timestamp } from '../../../src/kernel/timestamp.js';
import { DAY } from '../../support/interaction-fixtures.js';
import {
  bundleOf,
  envelope,
  golden,
  logKey,
  otherLogKey,
  preludeOf,
  trusting,
} from '../support/bundles.js';

/** What is left of an agreed interaction once its texts are erased. */
const told = golden('negotiated-amended-completed');
const { interactionId, contract, updatedAt } = told.document;
const own = `interaction-${interactionId}`;
const trust = trusting(logKey);
const next = told.events.length;
const days = contract.retentionDays;
const until = timestampOf(Date.parse(updatedAt) + days * DAY);

function erased(
  data: object = { ground: 'retention', retention: { days, until } },
  at: Timestamp = until,
  schemaVersion = 2,
): EventEnvelope {
  const event = envelope(own, next, 'texts-erased', { interactionId, ...data }, at);
  return { ...event, schemaVersion };
}

const of = (
  more: readonly EventEnvelope[],
  texts: Partial<Pick<EvidenceBundle, 'document' | 'dataKey'>> = {},
): EvidenceBundle =>
  bundleOf({
    log: [...preludeOf(told), ...told.events, ...more],
    document: null,
    dataKey: null,
    ...texts,
  });

function doubts(bundle: EvidenceBundle, by = trust) {
  const { result, checks, state } = verifyBundle(bundle, by);
  const open = checks.filter((each) => each.result !== 'verified');
  return { result, state, open, reasons: new Set(open.map(({ reason }) => reason)) };
}

describe('a bundle that was made after the texts were erased', () => {
  it('says so of all that wants for them, and names the event that proves it', () => {
    const { result, open, state } = doubts(of([erased()]));
    expect([result, state?.status]).toEqual(['not-checkable', 'completed']);
    expect(new Set(open.map(({ check }) => check))).toEqual(
      new Set(['texts', 'attestation', 'document']),
    );
    for (const each of open) {
      expect(each).toMatchObject({ reason: 'erased', detail: `${own}@${next}` });
    }
  });

  it('says so, and that it cannot be told whether that was due, of an event without the days', () => {
    for (const event of [
      erased({ ground: 'retention', retention: null }),
      erased({ ground: 'retention' }, until, 1),
    ]) {
      const { result, open, reasons } = doubts(of([event]));
      expect([result, reasons]).toEqual([
        'not-checkable',
        new Set(['erased', 'retention-unrecorded']),
      ]);
      expect(open.filter(({ reason }) => reason === 'retention-unrecorded')).toMatchObject([
        { check: 'transition', subject: `${own}@${next}` },
      ]);
    }
  });

  it('with the key that somebody kept, holds the days against the terms', () => {
    const [dataKey = null] = Object.values(told.dataKeys);
    expect(doubts(of([erased()], { dataKey })).open).toMatchObject([
      { check: 'document', reason: 'erased' },
    ]);
    const sooner = timestampOf(Date.parse(updatedAt) + (days - 1) * DAY);
    const early = erased(
      { ground: 'retention', retention: { days: days - 1, until: sooner } },
      sooner,
    );
    expect(doubts(of([early])).result).toBe('not-checkable');
    const { result, open } = doubts(of([early], { dataKey }));
    expect(result).toBe('failed');
    expect(open).toContainEqual(
      expect.objectContaining({ check: 'transition', reason: 'illegal-transition' }),
    );
  });

  it('with the document that somebody kept, says that there is nothing to compare it with', () => {
    const { open } = doubts(of([erased()], { document: told.document }));
    expect(open.filter(({ check }) => check === 'document')).toMatchObject([
      { reason: 'erased', detail: `${own}@${next}` },
    ]);
  });
});

describe('texts that are missing are not said to be erased', () => {
  const texts = ['texts-missing', 'document-missing'];

  it('without an event that says so', () => {
    expect(doubts(of([])).reasons).toEqual(new Set(texts));
  });

  it.each<[string, EventEnvelope, string]>([
    ['too early', erased(undefined, updatedAt), 'illegal-transition'],
    [
      'by a consent that nobody gave',
      erased({ ground: 'consent', retention: null }),
      'illegal-transition',
    ],
    ['by an event of no known form', erased({ ground: 'whim', retention: null }), 'data-malformed'],
  ])('%s', (_, event, wrong) => {
    const { result, reasons } = doubts(of([event]));
    expect(result).toBe('failed');
    expect(reasons).toEqual(new Set([...texts, wrong]));
  });

  it('by an event that does not stand in the log', () => {
    const honest = of([erased()]);
    const entries = honest.streams[own] ?? [];
    const forged = entries.map((entry, nth) =>
      nth === next && 'envelope' in entry
        ? { ...entry, envelope: { ...entry.envelope, salt: 'A'.repeat(22) } }
        : entry,
    );
    const { result, reasons } = doubts({
      ...honest,
      streams: { ...honest.streams, [own]: forged },
    });
    expect(result).toBe('failed');
    expect(reasons).toEqual(new Set([...texts, 'not-included']));
  });

  it.each([
    ['that nobody has vouched for', trusting()],
    ['of another platform', trusting(otherLogKey)],
  ])('by an event in a log %s', (_, by) => {
    expect([...doubts(of([erased()]), by).reasons]).toEqual(
      expect.arrayContaining(['texts-missing', 'document-missing']),
    );
  });

  it('by an event behind one that is left out', () => {
    const whole = of([erased()]);
    const entries = (whole.streams[own] ?? []).filter((_, nth) => nth !== 3);
    const { reasons } = doubts({ ...whole, streams: { ...whole.streams, [own]: entries } });
    expect(reasons).toContain('texts-missing');
    expect(reasons).not.toContain('erased');
  });
});
