import { generateKeyPairSync } from 'node:crypto';
import { importJWK, SignJWT, type JWTVerifyGetKey } from 'jose';
import { createPrivateFile, PrivateFileError, readPrivateFile } from '../../config/private-file.js';
import { jwkThumbprint, type Ed25519PrivateJwk } from '../../kernel/ed25519.js';

/**
 * `iss` and `aud` of the local issuer's tokens: names that no other issuer has, and that tell
 * anybody who meets one that it is worth nothing elsewhere.
 */
export const DEV_ISSUER = 'urn:countersign:development-issuer';
export const DEV_AUDIENCE = 'urn:countersign:development';

/** What a token of the local issuer says. */
export interface DevTokenClaims {
  readonly principal: string;
  readonly tenant: string;
  readonly client?: string | undefined;
  readonly agent?: string | undefined;
  readonly scopes: readonly string[];
  readonly lifetimeSeconds: number;
}

/**
 * The local issuer's private key; a missing file is made, readable by its owner alone.
 * @throws {PrivateFileError} for a file that others can read or that holds no Ed25519 key
 */
export async function loadOrCreateDevKey(file: string): Promise<Ed25519PrivateJwk> {
  const stored = await readPrivateFile(file);
  return parseKey(stored ?? (await createPrivateFile(file, JSON.stringify(newKey()))), file);
}

/**
 * The local issuer's private key, for whoever mints.
 * @returns undefined when no service has been started in this data folder yet
 * @throws {PrivateFileError} as above
 */
export async function loadDevKey(file: string): Promise<Ed25519PrivateJwk | undefined> {
  const stored = await readPrivateFile(file);
  return stored === undefined ? undefined : parseKey(stored, file);
}

/**
 * An access token (RFC 9068) of the local issuer. There is no way to get one over HTTP.
 * @param now milliseconds since the epoch
 */
export async function mintDevToken(
  key: Ed25519PrivateJwk,
  claims: DevTokenClaims,
  now: number,
): Promise<string> {
  const issuedAt = Math.floor(now / 1000);
  return await new SignJWT({
    scope: claims.scopes.join(' '),
    tenant: claims.tenant,
    ...(claims.client === undefined ? {} : { client_id: claims.client }),
    ...(claims.agent === undefined ? {} : { agent: claims.agent }),
  })
    .setProtectedHeader({ alg: 'EdDSA', typ: 'at+jwt', kid: jwkThumbprint(key) })
    .setIssuer(DEV_ISSUER)
    .setAudience(DEV_AUDIENCE)
    .setSubject(claims.principal)
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + claims.lifetimeSeconds)
    .sign(await importJWK(key, 'EdDSA'));
}

/** The key that verifies the local issuer's tokens. */
export function devIssuerKeys({ kty, crv, x }: Ed25519PrivateJwk): JWTVerifyGetKey {
  const key = importJWK({ kty, crv, x }, 'EdDSA');
  return () => key;
}

function newKey(): Ed25519PrivateJwk {
  const { x = '', d = '' } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
  return { kty: 'OKP', crv: 'Ed25519', x, d };
}

function parseKey(text: string, file: string): Ed25519PrivateJwk {
  const key = parseJson(text) as Partial<Ed25519PrivateJwk> | null | undefined;
  if (key?.kty === 'OKP' && typeof key.x === 'string' && typeof key.d === 'string') {
    return { kty: 'OKP', crv: 'Ed25519', x: key.x, d: key.d };
  }
  throw new PrivateFileError(`${file} holds no Ed25519 private key (a JWK)`);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
