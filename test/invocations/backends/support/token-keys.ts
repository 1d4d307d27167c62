import { generateKeyPairSync, randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JSONWebKeySet } from 'jose';
import { createKeyring } from '../../../../src/attestation/create-keyring.js';
import { publishedJwks } from '../../../../src/attestation/platform-key-documents.js';
import { parsePlatformKeys } from '../../../../src/attestation/platform-key-file.js';
import type { PlatformKeyring } from '../../../../src/attestation/platform-keyring.js';
import type { KeyStore } from '../../../../src/event-store/key-store.js';
import type { EventStore } from '../../../../src/event-store/port.js';
import { openSqliteEventStore } from '../../../../src/event-store/sqlite/sqlite-event-store.js';
import { openSqliteKeyStore } from '../../../../src/event-store/sqlite/sqlite-key-store.js';
import { BackendTokens } from '../../../../src/invocations/backends/backend-tokens.js';
import type { Clock } from '../../../../src/kernel/timestamp.js';

export const ISSUER = 'https://countersign.example';

/** The platform's keys of a node over a real log, and the tokens that they sign. */
export class TokenKeys {
  private constructor(
    private readonly folder: string,
    private readonly store: EventStore,
    private readonly keys: KeyStore,
    readonly keyring: PlatformKeyring,
  ) {}

  /** With keys of these purposes; the id of each is its purpose. */
  static async open(...purposes: readonly string[]): Promise<TokenKeys> {
    const folder = mkdtempSync(join(tmpdir(), 'countersign-tokens-'));
    const store = await openSqliteEventStore(join(folder, 'events.db'));
    const keys = await openSqliteKeyStore(join(folder, 'keys.db'), { randomBytes });
    const entries = ['attestation', ...purposes].map((purpose) => ({
      ...generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' }),
      kid: purpose,
      purpose,
    }));
    const held = parsePlatformKeys(JSON.stringify({ keys: entries }));
    if (!held.ok) throw new Error(held.error.join());
    const parts = { store, keys, clock: Date.now, random: randomBytes, newId: randomUUID };
    const keyring = createKeyring(parts, held.value);
    await keyring.register();
    return new TokenKeys(folder, store, keys, keyring);
  }

  tokens(clock: Clock = Date.now): BackendTokens {
    return new BackendTokens(this.keyring, ISSUER, clock, randomBytes);
  }

  /** What `/.well-known/jwks.json` answers. */
  async jwks(): Promise<JSONWebKeySet> {
    return publishedJwks(await this.keyring.keys()) as JSONWebKeySet;
  }

  async dispose(): Promise<void> {
    await this.store.close();
    await this.keys.close();
    rmSync(this.folder, { recursive: true });
  }
}
