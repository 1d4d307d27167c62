import { describe, expect, it } from '@jest/globals';
import type { Reason } from '../../../../src/audit/verify/reasons.js';
import { jwkThumbprint } from '../../../../src/kernel/ed25519.js';
import type { EventEnvelope } from '../../../../src/kernel/envelope.js';
import { signingKey } from '../../../support/interaction-fixtures.js';
import {
  adding,
  BEFORE,
  BETA,
  BETWEEN,
  BY_TOKEN,
  changes,
  revoking,
  second,
  signatureOf,
  third,
  UNSIGNED,
  type Change,
} from '../../support/beta-story.js';
import { agentRegistered, alphaKey, betaKey, registeredKey } from '../../support/bundles.js';
import { reachableRefusals } from '../../support/reachable-refusals.js';
import { doubtsAbout, inShort } from '../../support/scene-log.js';

const registered = agentRegistered(BETA, [betaKey]);
const keyless = agentRegistered(BETA, [], ['oauth_account']);
const made = (...all: readonly Change[]) => [registered, ...changes(BEFORE, all)];
const methods = (list: readonly string[], by: Change['by'] = betaKey): Change => ({
  type: 'agent-methods-changed',
  data: { methods: list },
  by,
});
const clients = (by: Change['by'] = betaKey): Change => ({
  type: 'agent-clients-changed',
  data: { clients: ['client'] },
  by,
});
const retiring: Change = { type: 'agent-retired', data: { reasonHash: null }, by: betaKey };
const policy: Change = { type: 'agent-policy-changed', data: { policy: null }, by: betaKey };
const transport: Change = {
  type: 'agent-transport-changed',
  data: { transport: registered.data['transport'] },
  by: betaKey,
};
/** A key of its own for each number. */
const nthKey = (nth: number) => signingKey(`agent-beta#more-${String(nth)}`, 100 + nth);
const addingMany = (count: number) =>
  Array.from({ length: count }, (_, nth) => adding(nthKey(nth), betaKey));
const adds = (key: object): Change => ({
  type: 'agent-key-added',
  data: { key, replaces: null },
  by: betaKey,
});
const secondAs = (change: object) => adds({ ...registeredKey(BETA, second, BEFORE), ...change });
const jwk = (x: string) => ({ jwk: { kty: 'OKP', crv: 'Ed25519', x } as const });
const IDENTITY = Buffer.from(`01${'00'.repeat(31)}`, 'hex').toString('base64url');

/** A change as the last but these many that an agent may go through. */
function late(revision: number, change: Change): readonly EventEnvelope[] {
  return [registered, ...changes(BEFORE, [change], revision)];
}

/** What stands against a refusal: a reason, and a log that only who breaks the rule writes; or why not. */
type Placed = readonly [Reason, ...(readonly EventEnvelope[])[]] | { readonly because: string };

const TOKENS = { because: 'whose token a command came with is not in the log' };

const PLACED: Readonly<Record<string, Placed>> = {
  'register scope-missing': TOKENS,
  'register not-acting-agent': TOKENS,
  'register agent-exists': [
    'illegal-transition',
    [
      registered,
      {
        ...registered,
        ...changes(BEFORE, [clients()])[0]!,
        data: registered.data,
        type: registered.type,
      },
    ],
  ],
  'register methods-invalid': [
    'illegal-transition',
    [agentRegistered(BETA, [betaKey], [])],
    [agentRegistered(BETA, [betaKey], ['ed25519', 'ed25519'])],
    [agentRegistered(BETA, [], ['ed25519'])],
  ],
  'admitKeys too-many-keys': ['illegal-transition', made(...addingMany(64))],
  'admitKey key-id-taken': [
    'key-repeated',
    made(adding(signingKey(betaKey.keyId, 41), betaKey)),
    [agentRegistered(BETA, [betaKey, signingKey(betaKey.keyId, 41)])],
  ],
  'admitKey key-exists': [
    'key-repeated',
    made(adding({ ...betaKey, keyId: second.keyId }, betaKey)),
    [agentRegistered(BETA, [betaKey, { ...betaKey, keyId: second.keyId }])],
  ],
  'admitKey signed-time-out-of-range': [
    'signed-at-implausible',
    made(adding(second, betaKey, BETWEEN)),
  ],
  'admitKey key-proof-invalid': [
    'signature-invalid',
    made(secondAs({ proof: { signedAt: BEFORE, value: 'A'.repeat(86) } })),
  ],
  'parseMaterial key-malformed': ['data-malformed', made(secondAs(jwk('A'.repeat(44))))],
  'parsePublicKey key-malformed': ['data-malformed', made(secondAs(jwk('A'.repeat(42))))],
  'parsePublicKey key-unsafe-point': [
    'key-unsafe-point',
    made(secondAs({ ...jwk(IDENTITY), jwkThumbprint: jwkThumbprint(jwk(IDENTITY).jwk) })),
  ],
  'decideAgent agent-not-found': ['illegal-transition', changes(BEFORE, [clients()], 0)],
  'change agent-retired': [
    'illegal-transition',
    ...[adding(second, betaKey), methods(['ed25519']), policy, clients(), transport, retiring].map(
      (change) => made(retiring, change),
    ),
  ],
  'change agent-changed': [
    'change-hash-mismatch',
    made({ ...clients(), by: signatureOf(clients(), betaKey, 2) }),
  ],
  'authorizeChange scope-missing': TOKENS,
  'authorizeChange not-acting-agent': TOKENS,
  'authorizeChange signature-unexpected': [
    'key-unregistered',
    [keyless, ...changes(BEFORE, [clients(betaKey)])],
  ],
  'authorizeChange change-signature-required': ['signature-missing', made(clients(BY_TOKEN))],
  'validKey key-not-found': ['key-unregistered', made(clients(alphaKey))],
  'validKey key-not-valid': [
    'raced',
    made(adding(second, betaKey), revoking(second.keyId, betaKey), clients(second)),
  ],
  'refusalByKey signed-time-out-of-range': [
    'signed-at-implausible',
    made({ ...clients(), by: signatureOf(clients(), betaKey, 1, BETWEEN) }),
  ],
  'refusalByKey signature-invalid': [
    'signature-invalid',
    made({ ...clients(), by: { ...signatureOf(clients(), betaKey, 1), value: 'A'.repeat(86) } }),
  ],
  'change too-many-changes': [
    'illegal-transition',
    ...[adding(second, betaKey), methods(['ed25519']), policy, clients(), transport].map((change) =>
      late(10_001, change),
    ),
  ],
  'change key-not-found': ['key-unregistered', made(revoking('agent-beta#0', betaKey))],
  'change key-not-valid': [
    'illegal-transition',
    made(adding(second, betaKey), revoking(second.keyId, betaKey), revoking(second.keyId, betaKey)),
  ],
  'change methods-invalid': [
    'illegal-transition',
    made(methods([])),
    made(methods(['ed25519', 'ed25519'])),
    [keyless, ...changes(BEFORE, [methods(['ed25519'], BY_TOKEN)])],
  ],
  'addKey key-not-found': [
    'key-unregistered',
    made(adding(second, betaKey, BEFORE, 'agent-beta#0')),
  ],
  'addKey key-not-valid': [
    'illegal-transition',
    made(
      adding(second, betaKey),
      revoking(second.keyId, betaKey),
      adding(third, betaKey, BEFORE, second.keyId),
    ),
    made(
      adding(second, betaKey, BEFORE, betaKey.keyId),
      adding(third, second, BEFORE, betaKey.keyId),
    ),
  ],
};

const cases = Object.entries(PLACED).flatMap(([refusal, placed]) =>
  'because' in placed
    ? []
    : placed.slice(1).map((log, way) => ({ refusal, reason: placed[0], log, way })),
);

describe('what the rules of agents refuse', () => {
  it('stands against a reason of the replay, or is said not to be judged', () => {
    expect(reachableRefusals('agents/domain/decide.ts', 'decideAgent')).toEqual(
      Object.keys(PLACED).sort(),
    );
  });

  it.each(cases)('$refusal fails as $reason, way $way', ({ reason, log }) => {
    const failures = doubtsAbout(log as readonly EventEnvelope[], { partial: true }).filter(
      ({ result }) => result === 'failed',
    );
    const last = `agent-${BETA}@${(log as readonly EventEnvelope[]).at(-1)?.revision ?? 0}`;
    expect(failures.map(({ reason }) => reason)).toContain(reason);
    for (const { subject } of failures) expect(subject).toMatch(last);
  });
});

describe('what the rules of agents allow is verified', () => {
  it.each<[string, readonly EventEnvelope[]]>([
    ['64 keys', made(...addingMany(63))],
    [
      'the revocation of a replaced key',
      made(adding(second, betaKey, BEFORE, betaKey.keyId), revoking(betaKey.keyId, second)),
    ],
    [
      'the revocation of a key after the retirement',
      made(adding(second, betaKey), retiring, revoking(second.keyId, betaKey)),
    ],
    ['every other method', made(methods(['ed25519', 'oauth_account', 'policy_auto_accept']))],
    [
      'ed25519 when every key has ended',
      made(
        methods(['oauth_account']),
        revoking(betaKey.keyId, betaKey),
        methods(['ed25519'], UNSIGNED),
      ),
    ],
  ])('%s', (_, log) => {
    expect(doubtsAbout(log).map(inShort)).toEqual([]);
  });

  const illegal = (log: readonly EventEnvelope[]) =>
    doubtsAbout(log, { partial: true }).filter(({ reason }) => reason === 'illegal-transition');

  it('the 10,000th change, and behind it what only takes away', () => {
    expect(illegal(late(10_000, clients()))).toEqual([]);
    expect(illegal(late(10_001, retiring))).toEqual([]);
    expect(illegal(late(10_010, revoking(betaKey.keyId, betaKey)))).toEqual([]);
  });

  it('the first key as the 10,000th change, with what its command brings besides', () => {
    const first = { ...adding(betaKey, BY_TOKEN), command: 'first' };
    const only = { ...methods(['ed25519'], BY_TOKEN), command: 'first', index: 1 };
    expect(illegal([keyless, ...changes(BEFORE, [first, only], 10_000)])).toEqual([]);
    expect(illegal([keyless, ...changes(BEFORE, [first, only], 10_001)])).toHaveLength(1);
  });
});

describe('where events of an agent are missing', () => {
  const gapped = (change: Change) => [registered, ...changes(BEFORE, [change], 2)];

  it('what they may have forbidden is not checkable', () => {
    for (const change of [clients(), adding(second, betaKey, BEFORE, third.keyId), retiring]) {
      const found = doubtsAbout(gapped(change), { partial: true }).map(inShort).join();
      expect(found).toContain('transition not-checkable events-missing');
      expect(found).not.toContain('failed');
    }
  });

  it('what is forbidden in any case fails', () => {
    const found = doubtsAbout(gapped(methods([])), { partial: true }).map(inShort);
    expect(found).toContain(
      'transition failed illegal-transition (no method is left to accept by)',
    );
  });
});
