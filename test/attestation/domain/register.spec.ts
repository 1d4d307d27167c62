import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { PlatformKeyEvent } from '../../../src/attestation/domain/events.js';
import { evolve } from '../../../src/attestation/domain/evolve.js';
import {
  isUsable,
  type PlatformKeyPurpose,
  type PlatformKeys,
} from '../../../src/attestation/domain/platform-key.js';
import {
  chooseKey,
  register,
  type ConfiguredKey,
} from '../../../src/attestation/domain/register.js';
import type { Ed25519Jwk } from '../../../src/kernel/ed25519.js';
import type { Recorded } from '../../../src/kernel/event.js';
import type { KeyId } from '../../../src/kernel/ids.js';
import { timestampOf } from '../../../src/kernel/timestamp.js';

function newJwk(): Ed25519Jwk {
  const { x = '' } = generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' });
  return { kty: 'OKP', crv: 'Ed25519', x };
}

const JWKS = new Map(['a', 'b', 'c', 'd'].map((id) => [id, newJwk()]));

function key(id: string, changes: Partial<ConfiguredKey> = {}): ConfiguredKey {
  const jwk = JWKS.get(id) ?? newJwk();
  return { keyId: id as KeyId, purpose: 'attestation', jwk, revoked: null, ...changes };
}

/** The log of one test, written by nodes that start one after the other. */
class Log {
  keys: PlatformKeys = new Map();
  readonly events: Recorded<PlatformKeyEvent>[] = [];

  /** A node starts with this configuration; gives what it recorded. */
  started(...configured: readonly ConfiguredKey[]): string[] {
    const decision = register(this.keys, { keys: configured });
    if (!decision.ok) return [decision.error.code];
    for (const event of decision.value) {
      const revision = this.events.length;
      const recorded = { ...event, recordedAt: timestampOf(revision * 1000), revision };
      this.events.push(recorded);
      this.keys = evolve(this.keys, recorded);
    }
    return decision.value.map(
      ({ type, data }) => `${type.slice('platform-key-'.length)} ${data.keyId}`,
    );
  }

  signer(...configured: readonly ConfiguredKey[]): string | undefined {
    return chooseKey(this.keys, configured)?.keyId;
  }
}

describe('the first start', () => {
  it('adds the keys of every purpose', () => {
    const card = key('c', { purpose: 'card' });
    expect(new Log().started(key('a'), card)).toEqual(['added a', 'added c']);
  });

  it('signs with the last key, and keeps the others waiting', () => {
    const log = new Log();
    expect(log.started(key('a'), key('b'))).toEqual(['added b', 'added a']);
    expect(log.signer(key('a'), key('b'))).toBe('b');
    expect([...log.keys.values()].every(isUsable)).toBe(true);
  });
});

describe('a start with keys that the log knows', () => {
  it('records nothing', () => {
    const log = new Log();
    log.started(key('a'), key('b'));
    expect(log.started(key('a'), key('b'))).toEqual([]);
    expect(log.started(key('b'))).toEqual([]);
  });

  it('retires no newer key that this node does not know: an old file does no harm', () => {
    const log = new Log();
    log.started(key('a'));
    log.started(key('b'), key('a'));
    expect(log.started(key('a'))).toEqual([]);
    expect(log.keys.get('b' as KeyId)?.retiredAt).toBeNull();
  });
});

describe('a rotation', () => {
  it('in one step retires the old key when the new one takes over', () => {
    const log = new Log();
    log.started(key('a'));
    expect(log.started(key('a'), key('b'))).toEqual(['added b', 'retired a']);
    expect(log.signer(key('a'), key('b'))).toBe('b');
    expect(log.keys.get('a' as KeyId)?.retiredAt).toBe(timestampOf(2000));
  });

  it('in two steps leaves no moment at which a node cannot sign', () => {
    const log = new Log();
    log.started(key('a'));
    // Step 1: every node gets b in front of a; a goes on.
    expect(log.started(key('b'), key('a'))).toEqual(['added b']);
    expect(log.signer(key('b'), key('a'))).toBe('a');
    // Step 2: the first node moves b behind; those that are still at step 1 follow at once.
    expect(log.started(key('a'), key('b'))).toEqual(['retired a']);
    expect(log.signer(key('b'), key('a'))).toBe('b');
    expect(log.started(key('b'), key('a'))).toEqual([]);
  });

  it('leaves a node that holds only the old key without a key', () => {
    const log = new Log();
    log.started(key('a'));
    log.started(key('b'));
    expect(log.signer(key('a'))).toBeUndefined();
    expect(log.started(key('a'))).toEqual([]);
  });

  it('touches no other purpose', () => {
    const log = new Log();
    const card = key('c', { purpose: 'card' });
    log.started(key('a'), card);
    expect(log.started(key('b'), card)).toEqual(['added b', 'retired a']);
    expect(log.signer(card)).toBe('c');
  });
});

describe('a revocation', () => {
  it('is recorded once, with its reason, and is final', () => {
    const log = new Log();
    log.started(key('a'));
    const revoked = key('a', { revoked: 'key-compromise' });
    expect(log.started(revoked, key('b'))).toEqual(['added b', 'retired a', 'revoked a']);
    expect(log.keys.get('a' as KeyId)?.revoked).toEqual({
      at: timestampOf(3000),
      reason: 'key-compromise',
      revision: 3,
    });
    expect(log.started(revoked, key('b'))).toEqual([]);
    expect(log.started(key('b'), key('a'))).toEqual([]);
    expect(log.signer(key('b'), key('a'))).toBe('b');
  });

  it('takes a key from the nodes that still hold it', () => {
    const log = new Log();
    log.started(key('a'));
    log.started(key('a', { revoked: 'unspecified' }));
    expect(log.signer(key('a'))).toBeUndefined();
  });

  it('adds a key that the log never saw, so that the record is complete', () => {
    expect(new Log().started(key('a', { revoked: 'superseded' }), key('b'))).toEqual([
      'added b',
      'added a',
      'revoked a',
    ]);
  });
});

describe('a conflict', () => {
  it.each<[string, ConfiguredKey, string]>([
    ['another public key under a known id', key('a', { jwk: newJwk() }), 'key-id-taken'],
    ['another purpose for a known id', key('a', { purpose: 'card' }), 'key-id-taken'],
    [
      'a known public key under another id',
      key('z', { jwk: JWKS.get('a') ?? newJwk() }),
      'key-exists',
    ],
    [
      'a known public key for another purpose',
      key('z', { jwk: JWKS.get('a') ?? newJwk(), purpose: 'checkpoint' }),
      'key-exists',
    ],
  ])('refuses %s', (_name, configured, code) => {
    const log = new Log();
    log.started(key('a'));
    expect(log.started(key('b'), configured)).toEqual([code]);
    expect(log.events).toHaveLength(1);
  });
});

describe('any sequence of starts', () => {
  const configuration = fc
    .uniqueArray(
      fc.record({
        id: fc.constantFrom('a', 'b', 'c', 'd'),
        revoked: fc.constantFrom(null, null, null, 'unspecified' as const),
      }),
      { selector: ({ id }) => id, minLength: 1 },
    )
    .map((entries) =>
      entries.map(({ id, revoked }) => {
        const purpose: PlatformKeyPurpose = id === 'd' ? 'card' : 'attestation';
        return key(id, { revoked, purpose });
      }),
    );

  it('is idempotent, forgets nothing, and never lets a key back in', () => {
    fc.assert(
      fc.property(fc.array(configuration, { maxLength: 8 }), (configurations) => {
        const log = new Log();
        for (const configured of configurations) {
          const before = log.keys;
          log.started(...configured);
          expect(log.started(...configured)).toEqual([]);
          for (const [keyId, was] of before) {
            const is = log.keys.get(keyId);
            expect(is).toMatchObject({ jwk: was.jwk, from: was.from, purpose: was.purpose });
            if (was.retiredAt !== null) expect(is?.retiredAt).toBe(was.retiredAt);
            if (was.revoked !== null) expect(is?.revoked).toEqual(was.revoked);
          }
        }
      }),
    );
  });

  it('never leaves a purpose with two keys of which a node cannot tell which signs', () => {
    fc.assert(
      fc.property(fc.array(configuration, { minLength: 1, maxLength: 6 }), (configurations) => {
        const log = new Log();
        for (const configured of configurations) {
          log.started(...configured);
          for (const purpose of ['attestation', 'card'] as const) {
            const chosen = chooseKey(
              log.keys,
              configured.filter((each) => each.purpose === purpose),
            );
            if (chosen === undefined) continue;
            const added = log.keys.get(chosen.keyId)?.addedAtRevision ?? -1;
            const older = [...log.keys.values()].filter(
              (each) => each.purpose === purpose && each.addedAtRevision < added,
            );
            expect(older.filter(isUsable)).toEqual([]);
          }
        }
      }),
    );
  });
});
