import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '../../src/kernel/json.js';
import type { RecordedEnvelope } from '../../src/event-store/port.js';
import { faultsOf } from './support/log-audit.js';

let count = 0;

function event(
  revision: number,
  type: string,
  data: JsonObject = {},
  more: Partial<RecordedEnvelope> = {},
): RecordedEnvelope {
  const position = String(++count).padStart(20, '0');
  const event = { id: `id-${position}`, position, stream: 'interaction-1', revision, type, data };
  return { recordedAt: '2030-01-01T00:00:00.000Z', ...event, ...more } as RecordedEnvelope;
}

const proposed = (revision = 0, number = 1) =>
  event(revision, revision === 0 ? 'interaction-proposed' : 'revision-proposed', {
    revision: number,
  });
const accepted = (revision: number) =>
  event(revision, 'revision-accepted', { revision: 1, acceptance: { agentId: 'beta' } });

describe('the audit of a log that several nodes have written', () => {
  it('finds nothing in what is in order', () => {
    const log = [proposed(), accepted(1), proposed(2, 2), event(3, 'interaction-cancelled')];
    expect(faultsOf(log)).toEqual([]);
  });

  it.each([
    [
      'an event that is there twice',
      () => [proposed(), event(1, 'x', {}, { id: 'a' }), event(2, 'x', {}, { id: 'a' })],
      'a is there twice',
    ],
    ['a lost event', () => [proposed(), accepted(2)], 'interaction-1 has 2 at 1'],
    ['two events of one revision', () => [proposed(), accepted(1), event(1, 'x')], 'has 1 at 2'],
    [
      'two successors of one revision',
      () => [proposed(), proposed(1, 2), proposed(2, 2)],
      'has 2 for 3',
    ],
    [
      'two acceptances by one agent',
      () => [proposed(), accepted(1), accepted(2)],
      'has twice revision-accepted 1 beta',
    ],
    [
      'two expiries',
      () => [proposed(), event(1, 'interaction-expired'), event(2, 'interaction-expired')],
      'goes on after its end with interaction-expired',
    ],
    ['positions that go back', () => [proposed(), accepted(1)].reverse(), 'stands at'],
    [
      'times that go back',
      () => [proposed(), event(1, 'x', {}, { recordedAt: '2029-01-01T00:00:00.000Z' as never })],
      'goes back in time',
    ],
  ])('finds %s', (_, log, fault) => {
    expect(faultsOf(log()).join()).toContain(fault);
  });
});
