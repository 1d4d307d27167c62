import { generateKeyPairSync, randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createKeyring } from '../../src/attestation/create-keyring.js';
import { PLATFORM_KEYS_STREAM } from '../../src/attestation/domain/events.js';
import { publishedJwks } from '../../src/attestation/platform-key-documents.js';
import { parsePlatformKeys } from '../../src/attestation/platform-key-file.js';
import type { PlatformKeyring } from '../../src/attestation/platform-keyring.js';
import type { KeyStore } from '../../src/event-store/key-store.js';
import type { EventStore } from '../../src/event-store/port.js';
import { openSqliteEventStore } from '../../src/event-store/sqlite/sqlite-event-store.js';
import { openSqliteKeyStore } from '../../src/event-store/sqlite/sqlite-key-store.js';
import { verifyAttestation } from '../../src/kernel/attestation.js';
import { verifyEd25519, type Ed25519Jwk } from '../../src/kernel/ed25519.js';
import type { UnattestedRevision } from '../../src/kernel/federated-interaction.js';
import type { KeyId } from '../../src/kernel/ids.js';

function jwk(kid: string, purpose = 'attestation'): Record<string, unknown> {
  const pair = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
  return { ...pair, kid, purpose };
}

const A = jwk('a');
const B = jwk('b');
const CARD = jwk('card-1', 'card');
const CARD_2 = jwk('card-2', 'card');

/** Enough of a revision to be attested: attesting looks at no member. */
const REVISION = { revision: 1, termsHash: 'x' } as unknown as UnattestedRevision;

describe('the keyring of a node', () => {
  let folder: string;
  let store: EventStore;
  let keys: KeyStore;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'countersign-test-'));
    store = await openSqliteEventStore(join(folder, 'events.db'));
    keys = await openSqliteKeyStore(join(folder, 'keys.db'), { randomBytes });
  });

  afterEach(async () => {
    await store.close();
    await keys.close();
    await rm(folder, { recursive: true });
  });

  /** A node with these keys in its configuration, over the one log. */
  function node(...entries: readonly object[]): PlatformKeyring {
    const held = parsePlatformKeys(JSON.stringify({ keys: entries }));
    if (!held.ok) throw new Error(held.error.join());
    const parts = { store, keys, clock: Date.now, random: randomBytes, newId: randomUUID };
    return createKeyring(parts, held.value);
  }

  async function types(): Promise<string[]> {
    const events = await store.readStream(PLATFORM_KEYS_STREAM);
    return events.map(({ type, data }) => `${type} ${data['keyId'] as string}`);
  }

  it('registers its keys once, whichever node starts and however often', async () => {
    for (let round = 0; round < 3; round++)
      expect(await node(A).register()).toMatchObject({ ok: true });
    expect(await types()).toEqual(['platform-key-added a']);
    const [event] = await store.readStream(PLATFORM_KEYS_STREAM);
    expect(event?.metadata.actor).toEqual({
      principal: 'process:platform-keys',
      agent: null,
      tenant: null,
    });
  });

  it('registers each key once when 16 nodes start together', async () => {
    const nodes = Array.from({ length: 16 }, (_, index) =>
      index % 2 === 0 ? node(A, B) : node(B, A),
    );
    const results = await Promise.all(nodes.map((each) => each.register()));
    expect(results.every(({ ok }) => ok)).toBe(true);
    const added = (await types()).filter((each) => each.startsWith('platform-key-added'));
    expect([...added].sort()).toEqual(['platform-key-added a', 'platform-key-added b']);
    const signers = await Promise.all(nodes.map((each) => signerOf(each)));
    expect(signers).not.toContain(undefined);
  });

  async function signerOf(keyring: PlatformKeyring): Promise<string | undefined> {
    const attester = await keyring.attester();
    return attester.ok ? attester.value.attest(REVISION).keyId : undefined;
  }

  it('attests so that anybody can verify it, and says on which keys it decided', async () => {
    const keyring = node(A);
    await keyring.register();
    const attester = await keyring.attester();
    if (!attester.ok) throw new Error(attester.error.code);
    const platformAttestation = attester.value.attest(REVISION);
    const key = (await keyring.keys()).get('a' as KeyId);
    if (key === undefined) throw new Error('not registered');
    expect(verifyAttestation({ ...REVISION, platformAttestation }, key.jwk)).toBe(true);
    expect(attester.value.basedOn).toEqual({ 'platform-keys': 0 });
    expect(attester.value.recordedAt).toBe(key.from);
  });

  it('follows at once when another node takes over with a key that it holds', async () => {
    const early = node(B, A);
    await early.register();
    expect(await signerOf(early)).toBe('a');
    await node(A, B).register();
    expect(await signerOf(early)).toBe('b');
  });

  it('stops at once when another node takes over with a key that it lacks', async () => {
    const early = node(A);
    await early.register();
    await node(B).register();
    expect(await early.attester()).toMatchObject({
      ok: false,
      error: { code: 'attestation-unavailable' },
    });
    expect(await node(A).register()).toMatchObject({ error: { code: 'attestation-unavailable' } });
  });

  it('stops at once when its key is revoked elsewhere', async () => {
    const early = node(A);
    await early.register();
    await node({ ...A, d: undefined, revoked: 'key-compromise' }, B).register();
    expect(await signerOf(early)).toBeUndefined();
    expect((await early.keys()).get('a' as KeyId)?.revoked?.reason).toBe('key-compromise');
  });

  it('does not start with an id that stands for another key', async () => {
    await node(A).register();
    const refused = await node({ ...B, kid: 'a' }).register();
    expect(refused).toMatchObject({ error: { code: 'key-id-taken' } });
  });

  describe('signs cards', () => {
    async function cardKeyOf(keyring: PlatformKeyring): Promise<string> {
      const signer = await keyring.cardSigner();
      return signer.ok ? signer.value.keyId : signer.error.code;
    }

    async function publishedBy(keyring: PlatformKeyring): Promise<readonly string[]> {
      const { keys: published } = publishedJwks(await keyring.keys());
      return published.map((key) => (key as { kid: string }).kid);
    }

    it('with a key of its own, that everybody finds in the JWK Set', async () => {
      const keyring = node(A, CARD);
      await keyring.register();
      const signer = await keyring.cardSigner();
      if (!signer.ok) throw new Error(signer.error.code);
      const { x } = publicHalf(CARD);
      expect(signer.value.keyId).toBe('card-1');
      expect(verifyEd25519(publicHalf(CARD), 'text', signer.value.sign('text'))).toBe(true);
      expect(publishedJwks(await keyring.keys())).toEqual({
        keys: [{ kty: 'OKP', crv: 'Ed25519', x, kid: 'card-1', use: 'sig', alg: 'EdDSA' }],
      });
    });

    it('never with a key of another purpose', async () => {
      const keyring = node(A, jwk('token', 'backend-token'), jwk('log', 'checkpoint'));
      await keyring.register();
      expect(await cardKeyOf(keyring)).toBe('card-key-unavailable');
    });

    it('follows a takeover at once, and goes on publishing the key that retired', async () => {
      const early = node(A, CARD_2, CARD);
      await early.register();
      expect(await cardKeyOf(early)).toBe('card-1');
      await node(A, CARD, CARD_2).register();
      expect(await cardKeyOf(early)).toBe('card-2');
      expect((await publishedBy(early)).toSorted()).toEqual(['card-1', 'card-2']);
    });

    it('neither signs with nor publishes a key that is revoked', async () => {
      const early = node(A, CARD);
      await early.register();
      await node(A, { ...CARD, revoked: 'key-compromise' }).register();
      expect(await cardKeyOf(early)).toBe('card-key-unavailable');
      expect(await publishedBy(early)).toEqual([]);
    });
  });
});

function publicHalf({ x }: Record<string, unknown>): Ed25519Jwk {
  return { kty: 'OKP', crv: 'Ed25519', x: x as string };
}
