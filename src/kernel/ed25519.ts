import { createPrivateKey, createPublicKey, sign, verify, type KeyObject } from 'node:crypto';
import { Point } from '@noble/ed25519';
import { decodeBase64Url, encodeBase64Url } from './base64url.js';
import { hashJson } from './digest.js';
import { libsodium, type Libsodium } from './libsodium.js';
import { err, ok, type Result } from './result.js';

/** An Ed25519 public key as a JWK (RFC 8037): `x` is b64u of 32 bytes. */
export interface Ed25519Jwk {
  readonly kty: 'OKP';
  readonly crv: 'Ed25519';
  readonly x: string;
}

export interface Ed25519PrivateJwk extends Ed25519Jwk {
  /** b64u of the 32-byte seed. */
  readonly d: string;
}

/** SubjectPublicKeyInfo (RFC 8410) of an Ed25519 key is this prefix and the 32 bytes of the point. */
const SPKI_PREFIX = Buffer.from('302a300506032b6570032100', 'hex');

/**
 * Reads a public key, given as the JWK's `x` (43 characters) or as a base64url SPKI DER (59).
 * The point is decoded strictly: non-canonical encodings, points of small order and points outside
 * the prime-order subgroup are refused, because OpenSSL verifies *any* message under the identity.
 *
 * Refuses with `key-malformed` (no canonical base64url of 32 bytes or of such an SPKI) and
 * `key-unsafe-point`.
 */
export function parsePublicKey(
  text: string,
): Result<Ed25519Jwk, 'key-malformed' | 'key-unsafe-point'> {
  const bytes = decodeBase64Url(text);
  if (bytes === undefined) return err('key-malformed');
  const isSpki =
    bytes.length === SPKI_PREFIX.length + 32 &&
    SPKI_PREFIX.equals(bytes.subarray(0, SPKI_PREFIX.length));
  const point = isSpki ? bytes.subarray(SPKI_PREFIX.length) : bytes;
  if (point.length !== 32) return err('key-malformed');
  if (!isSafePoint(point)) return err('key-unsafe-point');
  return ok({ kty: 'OKP', crv: 'Ed25519', x: encodeBase64Url(point) });
}

function isSafePoint(bytes: Uint8Array): boolean {
  try {
    const point = Point.fromBytes(Uint8Array.from(bytes), false);
    return !point.isSmallOrder() && point.isTorsionFree();
  } catch {
    return false;
  }
}

/** A key as the base64url of its SubjectPublicKeyInfo in DER: 59 characters, which `parsePublicKey` reads. */
export function spkiOf({ x }: Ed25519Jwk): string {
  return Buffer.concat([SPKI_PREFIX, Buffer.from(x, 'base64url')]).toString('base64url');
}

/** RFC 7638 thumbprint: b64u(SHA-256) of the required members in canonical form. */
export function jwkThumbprint(jwk: Ed25519Jwk): string {
  return hashJson({ crv: jwk.crv, kty: jwk.kty, x: jwk.x });
}

/** b64u(Ed25519(key, message)); 86 characters. A string counts as its UTF-8 bytes. */
export function signEd25519(key: KeyObject, message: string): string {
  const bytes = Buffer.from(message);
  if (libsodium === undefined) return encodeBase64Url(sign(null, bytes, key));
  const signature = Buffer.allocUnsafe(64);
  libsodium.crypto_sign_detached(signature, bytes, secretKeyOf(key, libsodium));
  return encodeBase64Url(signature);
}

/** Private keys as libsodium reads them, in memory that it guards, for as long as their key objects live. */
const secretKeys = new WeakMap<KeyObject, Uint8Array>();

function secretKeyOf(key: KeyObject, sodium: Libsodium): Uint8Array {
  let secret = secretKeys.get(key);
  if (secret === undefined) {
    const pkcs8 = key.export({ format: 'der', type: 'pkcs8' });
    // RFC 8410 section 7: it ends with the seed.
    if (pkcs8.length !== 48) throw new TypeError('not a private key for Ed25519');
    secret = sodium.sodium_malloc(64);
    sodium.crypto_sign_seed_keypair(Buffer.alloc(32), secret, pkcs8.subarray(-32));
    sodium.sodium_memzero(pkcs8);
    secretKeys.set(key, secret);
  }
  return secret;
}

/**
 * Cofactorless verification (RFC 8032 section 5.1.7) of a signature in its one spelling: canonical
 * base64url of 64 bytes with S below the group order and R canonical. Everything else is false.
 * The key must have passed {@link parsePublicKey}.
 */
export function verifyEd25519(jwk: Ed25519Jwk, message: string, signature: string): boolean {
  const bytes = signatureBytes(signature);
  if (bytes === undefined) return false;
  return takeVerified(jwk, message, signature) || isValid(jwk, Buffer.from(message), bytes);
}

/**
 * What libsodium takes OpenSSL takes too, so the quicker one is asked first; OpenSSL alone refuses. (libsodium
 * refuses points of small order for R, which the equation of RFC 8032 allows.)
 */
function isValid(jwk: Ed25519Jwk, message: Uint8Array, signature: Uint8Array): boolean {
  const point = Buffer.from(jwk.x, 'base64url');
  if (libsodium?.crypto_sign_verify_detached(signature, message, point) === true) return true;
  return verify(null, message, publicKeyObject(jwk), signature);
}

/**
 * Verifies on another thread what {@link verifyEd25519} is about to be asked, which then finds a
 * valid signature verified already. Only a hint: whatever was not asked ahead is verified there.
 */
export async function verifyEd25519Ahead(
  jwk: Ed25519Jwk,
  message: string,
  signature: string,
): Promise<void> {
  const bytes = signatureBytes(signature);
  if (bytes === undefined) return;
  const isValid = await new Promise<boolean>((resolve, reject) => {
    verify(null, Buffer.from(message), publicKeyObject(jwk), bytes, (error, result) => {
      if (error === null) resolve(result);
      else reject(error);
    });
  });
  if (!isValid) return;
  if (verifiedAhead.size >= MAX_VERIFIED_AHEAD) verifiedAhead.clear();
  verifiedAhead.set(signature, { x: jwk.x, message });
}

/** By signature, what was found valid and not yet asked for; each answers once. */
const verifiedAhead = new Map<string, { readonly x: string; readonly message: string }>();
const MAX_VERIFIED_AHEAD = 10_000;

function takeVerified(jwk: Ed25519Jwk, message: string, signature: string): boolean {
  const verified = verifiedAhead.get(signature);
  if (verified?.x !== jwk.x || verified.message !== message) return false;
  return verifiedAhead.delete(signature);
}

/** The 64 bytes of a signature in its one spelling, with a canonical R. */
function signatureBytes(signature: string): Uint8Array | undefined {
  const bytes = decodeBase64Url(signature);
  if (bytes?.length !== 64) return undefined;
  return isCanonicalY(bytes.subarray(0, 32)) ? bytes : undefined;
}

/** y < 2^255 - 19, little-endian, the sign bit aside. */
function isCanonicalY(point: Uint8Array): boolean {
  if (((point[31] ?? 0) & 0x7f) !== 0x7f) return true;
  for (let i = 30; i > 0; i--) if (point[i] !== 0xff) return true;
  return (point[0] ?? 0) < 0xed;
}

/** Key objects are dear to make and cheap to keep; the bound keeps a flood of keys from filling memory. */
const keyObjects = new Map<string, KeyObject>();
const MAX_KEY_OBJECTS = 10_000;

function publicKeyObject(jwk: Ed25519Jwk): KeyObject {
  let key = keyObjects.get(jwk.x);
  if (key === undefined) {
    key = createPublicKey({ key: { kty: jwk.kty, crv: jwk.crv, x: jwk.x }, format: 'jwk' });
    if (keyObjects.size >= MAX_KEY_OBJECTS) keyObjects.clear();
    keyObjects.set(jwk.x, key);
  }
  return key;
}

/** The key object for signing. Throws for a JWK that is no Ed25519 private key. */
export function privateKeyObject(jwk: Ed25519PrivateJwk): KeyObject {
  return createPrivateKey({
    key: { kty: jwk.kty, crv: jwk.crv, x: jwk.x, d: jwk.d },
    format: 'jwk',
  });
}
