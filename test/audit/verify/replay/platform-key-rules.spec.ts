import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Reason } from '../../../../src/audit/verify/reasons.js';
import type { PlatformKeyEvent } from '../../../../src/attestation/domain/events.js';
import { evolve } from '../../../../src/attestation/domain/evolve.js';
import type { PlatformKeys } from '../../../../src/attestation/domain/platform-key.js';
import { register, type ConfiguredKey } from '../../../../src/attestation/domain/register.js';
import { jwkThumbprint } from '../../../../src/kernel/ed25519.js';
import type { EventEnvelope } from '../../../../src/kernel/envelope.js';
import { timestampOf } from '../../../../src/kernel/timestamp.js';
import { signingKey, START_MS } from '../../../support/interaction-fixtures.js';
import { RUNS } from '../../../support/property-runs.js';
import { envelope } from '../../support/bundles.js';
import { reachableRefusals } from '../../support/reachable-refusals.js';
import { doubtsAbout, inShort } from '../../support/scene-log.js';

const configured = (nth: number, change: Partial<ConfiguredKey> = {}): ConfiguredKey => {
  const { keyId, jwk } = signingKey(`platform-${String(nth)}`, 60 + nth);
  return { keyId, jwk, purpose: 'attestation', revoked: null, ...change };
};
const first = configured(1);
const second = configured(2);
const third = configured(3);
const card = configured(4, { purpose: 'card' });
const revoked = (key: ConfiguredKey): ConfiguredKey => ({ ...key, revoked: 'key-compromise' });

/** What nodes record that start one after the other with these configurations. */
function started(...nodes: readonly (readonly ConfiguredKey[])[]): readonly EventEnvelope[] {
  const log: EventEnvelope[] = [];
  let keys: PlatformKeys = new Map();
  for (const [nth, configuration] of nodes.entries()) {
    const decision = register(keys, { keys: configuration });
    if (!decision.ok) throw new Error(`refused: ${decision.error.code}`);
    for (const [index, event] of decision.value.entries()) {
      const recordedAt = timestampOf(START_MS + nth);
      const revision = log.length;
      const command = `start ${String(nth)}`;
      const { type, data } = event;
      log.push(envelope('platform-keys', revision, type, data, recordedAt, command, index));
      keys = evolve(keys, { ...event, recordedAt, revision });
    }
  }
  return log;
}

/** The log, and behind it an event that somebody records all the same. */
function forged(
  log: readonly EventEnvelope[],
  type: PlatformKeyEvent['type'],
  data: object,
): readonly EventEnvelope[] {
  const moment = timestampOf(START_MS + 100);
  return [...log, envelope('platform-keys', log.length, type, data, moment)];
}
const adding = (log: readonly EventEnvelope[], { keyId, purpose, jwk }: ConfiguredKey) => {
  return forged(log, 'platform-key-added', {
    keyId,
    purpose,
    jwk,
    jwkThumbprint: jwkThumbprint(jwk),
  });
};
const retiring = (log: readonly EventEnvelope[], key: ConfiguredKey, by: ConfiguredKey) =>
  forged(log, 'platform-key-retired', { keyId: key.keyId, replacedBy: by.keyId });
const revoking = (log: readonly EventEnvelope[], { keyId }: ConfiguredKey) =>
  forged(log, 'platform-key-revoked', { keyId, reason: 'unspecified' });

const found = (log: readonly EventEnvelope[], partial = false) =>
  doubtsAbout(log, { partial }).map((each) => `${each.subject} ${inShort(each)}`);

/** What stands against a refusal, and against what a start never records, which it need not refuse. */
const PLACED: Readonly<Record<string, readonly [Reason, ...(readonly EventEnvelope[])[]]>> = {
  'findConflict key-id-taken': [
    'key-repeated',
    adding(started([first]), { ...second, keyId: first.keyId }),
    adding(started([first]), { ...first, purpose: 'card' }),
  ],
  'findConflict key-exists': [
    'key-repeated',
    adding(started([first]), { ...first, keyId: second.keyId }),
  ],
};
const NEVER: Readonly<Record<string, readonly [Reason, readonly EventEnvelope[]]>> = {
  'the same key twice': ['key-repeated', adding(started([first]), first)],
  'the retirement of a key that nobody added': [
    'key-unregistered',
    retiring(started([first]), second, first),
  ],
  'a retirement in favour of a key that nobody added': [
    'key-unregistered',
    retiring(started([first]), first, second),
  ],
  'a second retirement': [
    'illegal-transition',
    retiring(started([first], [first, second]), first, second),
  ],
  'the retirement of a revoked key': [
    'illegal-transition',
    retiring(started([second, first], [revoked(second), first]), second, first),
  ],
  'a retirement in favour of itself': [
    'illegal-transition',
    retiring(started([first]), first, first),
  ],
  'a retirement in favour of an older key': [
    'illegal-transition',
    retiring(started([first], [second, first]), second, first),
  ],
  'a retirement in favour of a key of another purpose': [
    'illegal-transition',
    retiring(started([first, card]), first, card),
  ],
  'a retirement in favour of a retired key': [
    'illegal-transition',
    retiring(started([first], [second, first], [first, second, third], [first]), first, second),
  ],
  'a retirement in favour of a revoked key': [
    'illegal-transition',
    retiring(started([first], [revoked(second), first]), first, second),
  ],
  'the revocation of a key that nobody added': [
    'key-unregistered',
    revoking(started([first]), second),
  ],
  'a second revocation': [
    'illegal-transition',
    revoking(started([first], [revoked(first), second]), first),
  ],
};

describe("what the rules of the platform's keys refuse", () => {
  it('stands against a reason of the replay', () => {
    expect(reachableRefusals('attestation/domain/register.ts', 'register')).toEqual(
      Object.keys(PLACED).sort(),
    );
  });

  const cases = [
    ...Object.entries(PLACED).flatMap(([refusal, [reason, ...logs]]) =>
      logs.map((log) => [refusal, reason, log] as const),
    ),
    ...Object.entries(NEVER).map(([name, [reason, log]]) => [name, reason, log] as const),
  ];
  it.each(cases)('%s fails as %s', (_, reason, log) => {
    const subject = `platform-keys@${String(log.length - 1)}`;
    expect(found(log)).toEqual([
      expect.stringMatching(`^${subject} platform-key failed ${reason} `),
    ]);
  });

  it('is not checkable where the key may have been added by an event that is not given', () => {
    const gapped = retiring(started([first], [first, second]).slice(1), third, second).map(
      (event, nth) => ({ ...event, revision: nth + 1 }),
    );
    expect(found(gapped, true).at(-1)).toMatch('platform-key not-checkable events-missing');
    expect(found(gapped, true).join()).not.toContain('failed');
  });
});

it('whatever nodes start with, what they record is verified', () => {
  const keys = [first, second, third, card, configured(5, { purpose: 'card' })];
  const node = fc
    .shuffledSubarray(keys, { minLength: 1 })
    .chain((some) =>
      fc.tuple(...some.map((key) => fc.boolean().map((isBad) => (isBad ? revoked(key) : key)))),
    );
  fc.assert(
    fc.property(fc.array(node, { maxLength: 6 }), (nodes) => {
      expect(found(started(...nodes))).toEqual([]);
    }),
    RUNS,
  );
});
