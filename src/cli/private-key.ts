import { createPublicKey, type KeyObject } from 'node:crypto';
import { decodeBase64Url } from '../kernel/base64url.js';
import { parsePublicKey, privateKeyObject, type Ed25519Jwk } from '../kernel/ed25519.js';
import { isObject, type JsonObject } from '../kernel/json.js';
import { err, ok, type Result } from '../kernel/result.js';
import { cliFault, type CliFault } from './cli-fault.js';
import { readJson } from './input.js';

export interface PrivateKey {
  readonly keyId: string;
  readonly jwk: Ed25519Jwk;
  readonly key: KeyObject;
}

/**
 * Reads an Ed25519 private JWK (RFC 8037). Its id is `keyId`, else the JWK's `kid`.
 *
 * Refuses with the codes of {@link readJson}, `private-key-invalid` and `usage` (no id at all).
 */
export async function readPrivateKey(
  path: string,
  keyId: string | undefined,
): Promise<Result<PrivateKey, CliFault>> {
  const json = await readJson(path);
  if (!json.ok) return json;
  const key = isObject(json.value) ? parsePrivateJwk(json.value) : undefined;
  if (key === undefined) {
    return err(cliFault('private-key-invalid', 'the file holds no Ed25519 private key (a JWK)'));
  }
  const id = keyId ?? (isObject(json.value) ? text(json.value, 'kid') : '');
  if (id === '') return err(cliFault('usage', 'the key has no kid: name it with --key-id'));
  return ok({ ...key, keyId: id });
}

function parsePrivateJwk(jwk: JsonObject): Omit<PrivateKey, 'keyId'> | undefined {
  if (jwk['kty'] !== 'OKP' || jwk['crv'] !== 'Ed25519') return undefined;
  const d = text(jwk, 'd');
  const publicJwk = parsePublicKey(text(jwk, 'x'));
  if (!publicJwk.ok || decodeBase64Url(d)?.length !== 32) return undefined;
  const key = privateKeyObject({ ...publicJwk.value, d });
  // Two halves of different keys would make signatures that never verify, or leak the key.
  const belongs = createPublicKey(key).export({ format: 'jwk' }).x === publicJwk.value.x;
  return belongs ? { jwk: publicJwk.value, key } : undefined;
}

function text(object: JsonObject, member: string): string {
  const value = object[member];
  return typeof value === 'string' ? value : '';
}
