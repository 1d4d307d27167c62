import { createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { createPrivateFile, readPrivateFile } from '../config/private-file.js';
import type { PlatformKeySource } from '../config/config.js';
import { decodeBase64Url } from '../kernel/base64url.js';
import {
  jwkThumbprint,
  parsePublicKey,
  privateKeyObject,
  type Ed25519PrivateJwk,
} from '../kernel/ed25519.js';
import { parseKeyId } from '../kernel/ids.js';
import { isObject, type Json, type JsonObject } from '../kernel/json.js';
import { err, ok, type Result } from '../kernel/result.js';
import { parseStrictJson } from '../kernel/strict-json.js';
import {
  PLATFORM_KEY_PURPOSES,
  REVOCATION_REASONS,
  type PlatformKeyPurpose,
} from './domain/platform-key.js';
import type { ConfiguredKey } from './domain/register.js';

/** A configured key with its private half, which only a revoked key may lack. */
export interface HeldKey extends ConfiguredKey {
  readonly privateKey: KeyObject | null;
}

/**
 * The platform's private keys of one node, from their file, which is made where it is missing and may be
 * generated: see {@link parsePlatformKeys}.
 *
 * Refuses with every fault of the file, in words for operators. Throws `PrivateFileError` when it cannot
 * be read, or when others could read it.
 */
export async function loadPlatformKeys(
  source: PlatformKeySource,
): Promise<Result<readonly HeldKey[], readonly string[]>> {
  const stored = await readPrivateFile(source.file);
  if (stored !== undefined) return parsePlatformKeys(stored);
  if (!source.generate) return err(['does not exist']);
  return parsePlatformKeys(await createPrivateFile(source.file, newPlatformKeys()));
}

/**
 * A JWK Set (RFC 7517 section 5) of Ed25519 keys (RFC 8037 section 2). Each has `kid`, `purpose`
 * (attestation, card, checkpoint, backend-token) and `d`; `"revoked": "<reason>"` (key-compromise,
 * superseded, unspecified) declares a key untrustworthy from now on, and then `d` may be gone. The order
 * matters: see `domain/register.ts`.
 *
 * Refuses with every fault, in words for operators that name the place and never the private half: what
 * is no strict JSON or no JWK Set; an entry that is no Ed25519 key or whose `kid`, `purpose` or `revoked`
 * is malformed; `d` missing from a key that is not revoked, or belonging to another key; a `kid` or a key
 * that stands twice; and, where nothing else is wrong, no unrevoked key that may attest.
 *
 * @param text of the file
 */
export function parsePlatformKeys(text: string): Result<readonly HeldKey[], readonly string[]> {
  const parsed = parseStrictJson(Buffer.from(text));
  const entries = parsed.ok && isObject(parsed.value) ? parsed.value['keys'] : undefined;
  if (!Array.isArray(entries)) return err(['the file is not a JWK Set: {"keys": [...]}']);
  const results = entries.map((entry: Json, index) => parseEntry(entry, `keys[${String(index)}]`));
  const keys = results.flatMap((result) => (result.ok ? [result.value] : []));
  const faults = results.flatMap((result) => (result.ok ? [] : result.error));
  faults.push(...duplicates(keys.map(({ keyId }) => keyId)).map((id) => `kid ${id} stands twice`));
  faults.push(...duplicates(keys.map(({ jwk }) => jwk.x)).map((x) => `the key ${x} stands twice`));
  const canAttest = keys.some((key) => key.purpose === 'attestation' && key.revoked === null);
  if (!canAttest && faults.length === 0) {
    faults.push('a key with the purpose attestation is required');
  }
  return faults.length === 0 ? ok(keys) : err(faults);
}

function parseEntry(entry: Json, place: string): Result<HeldKey, string[]> {
  if (!isObject(entry)) return err([`${place} is not a JWK`]);
  const faults: string[] = [];
  const keyId = parseKeyId(text(entry, 'kid'));
  if (keyId === undefined) faults.push(`${place}.kid is missing or malformed`);
  const purpose = PLATFORM_KEY_PURPOSES.find((each) => each === entry['purpose']);
  if (purpose === undefined) {
    faults.push(`${place}.purpose must be one of ${PLATFORM_KEY_PURPOSES.join(', ')}`);
  }
  const revoked = REVOCATION_REASONS.find((each) => each === entry['revoked']) ?? null;
  if (revoked === null && entry['revoked'] !== undefined) {
    faults.push(`${place}.revoked must be one of ${REVOCATION_REASONS.join(', ')}`);
  }
  const isEd25519 = entry['kty'] === 'OKP' && entry['crv'] === 'Ed25519';
  const jwk = parsePublicKey(isEd25519 ? text(entry, 'x') : '');
  if (!jwk.ok) return err([...faults, `${place} is no usable Ed25519 key (${jwk.error})`]);
  const privateKey = privateHalf({ ...jwk.value, d: text(entry, 'd') });
  if (privateKey === null && revoked === null) {
    faults.push(`${place}.d is missing or belongs to another key`);
  }
  if (keyId === undefined || purpose === undefined || faults.length > 0) return err(faults);
  return ok({ keyId, purpose, jwk: jwk.value, revoked, privateKey });
}

/** Null when `d` is no seed, or not the seed of this public key. */
function privateHalf(jwk: Ed25519PrivateJwk): KeyObject | null {
  if (decodeBase64Url(jwk.d)?.length !== 32) return null;
  const key = privateKeyObject(jwk);
  return createPublicKey(key).export({ format: 'jwk' }).x === jwk.x ? key : null;
}

/** What a development node needs: a key of each purpose. */
function newPlatformKeys(): string {
  const keys = PLATFORM_KEY_PURPOSES.map(newPlatformKey);
  return JSON.stringify({ keys }, undefined, 2);
}

function newPlatformKey(purpose: PlatformKeyPurpose): object {
  const { x = '', d = '' } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
  const key = { kty: 'OKP', crv: 'Ed25519', x, d } as const;
  return { ...key, kid: `dev-${jwkThumbprint(key).slice(0, 16)}`, purpose };
}

function duplicates(texts: readonly string[]): string[] {
  return [...new Set(texts.filter((each, index) => texts.indexOf(each) !== index))];
}

function text(entry: JsonObject, member: string): string {
  const value = entry[member];
  return typeof value === 'string' ? value : '';
}
