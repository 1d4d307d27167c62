import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  sign,
  verify,
} from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { Point } from '@noble/ed25519';
import { encodeBase64Url } from '../../src/kernel/base64url.js';
import {
  jwkThumbprint,
  parsePublicKey,
  privateKeyObject,
  signEd25519,
  verifyEd25519,
  verifyEd25519Ahead,
  type Ed25519Jwk,
} from '../../src/kernel/ed25519.js';
import { libsodium } from '../../src/kernel/libsodium.js';

const b64u = (hex: string): string => Buffer.from(hex, 'hex').toString('base64url');
const jwkOf = (x: string): Ed25519Jwk => ({ kty: 'OKP', crv: 'Ed25519', x });

/** RFC 8032, section 7.1: those whose message is text. */
const RFC_8032 = [
  {
    name: 'TEST 1',
    seed: '9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60',
    key: 'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a',
    message: '',
    signature:
      'e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b',
  },
  {
    name: 'TEST 2',
    seed: '4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb',
    key: '3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c',
    message: 'r',
    signature:
      '92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00',
  },
];

/** Every encoding of every point of small order, the non-canonical ones included. */
const SMALL_ORDER = [
  ['order 1', '0100000000000000000000000000000000000000000000000000000000000000'],
  ['order 2', 'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f'],
  ['order 4', '0000000000000000000000000000000000000000000000000000000000000000'],
  ['order 4', '0000000000000000000000000000000000000000000000000000000000000080'],
  ['order 8', '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05'],
  ['order 8', '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85'],
  ['order 8', 'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a'],
  ['order 8', 'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa'],
  ['order 1, signed', '0100000000000000000000000000000000000000000000000000000000000080'],
  ['order 1, y + p', 'eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f'],
  ['order 1, y + p, signed', 'eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff'],
  ['order 2, signed', 'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff'],
  ['order 4, y + p', 'edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f'],
  ['order 4, y + p, signed', 'edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff'],
] as const;

const P = 2n ** 255n - 19n;
const L = 2n ** 252n + 27742317777372353535851937790883648493n;

function littleEndian(value: bigint): Uint8Array {
  return Uint8Array.from({ length: 32 }, (_, index) => Number((value >> BigInt(8 * index)) & 255n));
}

function readLittleEndian(bytes: Uint8Array): bigint {
  return bytes.reduceRight((value, byte) => (value << 8n) | BigInt(byte), 0n);
}

const pair = generateKeyPairSync('ed25519');
const { x: ownX = '', d: ownSeed = '' } = pair.privateKey.export({ format: 'jwk' });
const own = jwkOf(ownX);

describe('public keys', () => {
  it.each(RFC_8032)('$name of RFC 8032 is taken as x and as SPKI', ({ key }) => {
    const x = b64u(key);
    const spki = createPublicKey({ key: jwkOf(x) as never, format: 'jwk' }).export({
      format: 'der',
      type: 'spki',
    });
    expect(parsePublicKey(x)).toEqual({ ok: true, value: jwkOf(x) });
    expect(parsePublicKey(encodeBase64Url(spki))).toEqual({ ok: true, value: jwkOf(x) });
  });

  it.each(SMALL_ORDER)('a point of %s is refused: %s', (_, hex) => {
    expect(parsePublicKey(b64u(hex))).toEqual({ ok: false, error: 'key-unsafe-point' });
    const spki = b64u(`302a300506032b6570032100${hex}`);
    expect(parsePublicKey(spki)).toEqual({ ok: false, error: 'key-unsafe-point' });
  });

  it('a valid key plus any point of small order is refused', () => {
    const key = Point.fromHex(Buffer.from(ownX, 'base64url').toString('hex'));
    for (const [name, hex] of SMALL_ORDER.slice(1, 8)) {
      const mixed = key.add(Point.fromHex(hex)).toBytes();
      expect([name, parsePublicKey(encodeBase64Url(mixed))]).toEqual([
        name,
        { ok: false, error: 'key-unsafe-point' },
      ]);
    }
  });

  it('no y of p or more is taken, whichever point it would stand for', () => {
    for (let y = 0n; y < 19n; y++) {
      for (const signBit of [0n, 2n ** 255n]) {
        const encoded = encodeBase64Url(littleEndian(P + y + signBit));
        expect(parsePublicKey(encoded)).toEqual({ ok: false, error: 'key-unsafe-point' });
      }
    }
  });

  it('a y that is on no point of the curve is refused', () => {
    expect(parsePublicKey(encodeBase64Url(littleEndian(2n)))).toEqual({
      ok: false,
      error: 'key-unsafe-point',
    });
  });

  it.each([
    ['padded', `${ownX}=`],
    ['with a newline', `${ownX}\n`],
    ['in hex', Buffer.from(ownX, 'base64url').toString('hex')],
    ['too short', ownX.slice(0, -2)],
    ['empty', ''],
    ['an X25519 SPKI', b64u(`302a300506032b656e032100${'11'.repeat(32)}`)],
    ['an SPKI with one byte more', b64u(`302a300506032b6570032100${RFC_8032[0]!.key}00`)],
    ['PEM', pair.publicKey.export({ format: 'pem', type: 'spki' }).toString()],
  ])('%s: malformed', (_, text) => {
    expect(parsePublicKey(text)).toEqual({ ok: false, error: 'key-malformed' });
  });

  it('the thumbprint is that of RFC 8037, appendix A.3', () => {
    const jwk = { ...jwkOf('11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo'), kid: 'ignored' };
    expect(jwkThumbprint(jwk)).toBe('kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k');
  });
});

describe('signatures', () => {
  it.each(RFC_8032)('$name of RFC 8032', ({ seed, key, message, signature }) => {
    const jwk = jwkOf(b64u(key));
    const secret = privateKeyObject({ ...jwk, d: b64u(seed) });
    expect(signEd25519(secret, message)).toBe(b64u(signature));
    expect(verifyEd25519(jwk, message, b64u(signature))).toBe(true);
    expect(verifyEd25519(jwk, `${message}x`, b64u(signature))).toBe(false);
  });

  const message = 'naïve “quotes” kept';
  const signature = signEd25519(pair.privateKey, message);
  const bytes = Buffer.from(signature, 'base64url');

  const hashed = createHash('sha512').update(Buffer.from(ownSeed, 'base64url')).digest();
  hashed[0]! &= 248;
  hashed[31] = (hashed[31]! & 127) | 64;
  const secret = readLittleEndian(hashed.subarray(0, 32));

  /** What the key's owner signs with any R, whose part that is no multiple of the base point stays open. */
  function signedWith(R: Uint8Array, nonce = 0n): Buffer {
    const A = Buffer.from(ownX, 'base64url');
    const k = createHash('sha512').update(R).update(A).update(message).digest();
    const s = (nonce + readLittleEndian(k) * secret) % L;
    return Buffer.concat([R, littleEndian(s)]);
  }

  it('are over the UTF-8 bytes of the message', () => {
    expect(signature).toHaveLength(86);
    expect(verifyEd25519(own, message, signature)).toBe(true);
    expect(verifyEd25519(own, message.normalize('NFD'), signature)).toBe(false);
  });

  it('verified ahead is that signature of that message, however the two are divided', async () => {
    const text = 'first{second}';
    const value = signEd25519(pair.privateKey, text);
    await verifyEd25519Ahead(own, text, value);
    expect(verifyEd25519(own, '{second}', `${value}first`)).toBe(false);
    expect(verifyEd25519(own, value.slice(-1) + text, value.slice(0, -1))).toBe(false);
    expect(verifyEd25519(own, text, value)).toBe(true);
  });

  it('verified ahead are what they are without', async () => {
    await verifyEd25519Ahead(own, message, signature);
    for (let times = 0; times < 3; times++) {
      expect(verifyEd25519(own, `${message} not`, signature)).toBe(false);
      expect(verifyEd25519(own, message, signature)).toBe(true);
    }
    const other = Buffer.from(bytes);
    other[40]! ^= 1;
    for (const wrong of [other.toString('base64url'), `${signature}==`, '']) {
      await verifyEd25519Ahead(own, message, wrong);
      expect(verifyEd25519(own, message, wrong)).toBe(false);
    }
  });

  it('have one spelling', () => {
    const lastBits = signature.slice(0, -1) + String.fromCharCode(signature.charCodeAt(85) + 1);
    expect(Buffer.from(lastBits, 'base64url')).toEqual(bytes);
    for (const other of [
      `${signature}==`,
      `${signature}=`,
      `${signature}\n`,
      ` ${signature}`,
      lastBits,
      bytes.toString('base64'),
      bytes.toString('hex'),
      signature.slice(0, -1),
      `${signature}A`,
      '',
    ]) {
      expect([other, verifyEd25519(own, message, other)]).toEqual([other, false]);
    }
  });

  it('with + or / in place of - and _ are refused', () => {
    let text = signature;
    let n = 0;
    while (!/[-_]/.test(text)) text = signEd25519(pair.privateKey, `${message}${n++}`);
    const signed = n === 0 ? message : `${message}${n - 1}`;
    expect(verifyEd25519(own, signed, text)).toBe(true);
    expect(verifyEd25519(own, signed, text.replaceAll('-', '+').replaceAll('_', '/'))).toBe(false);
  });

  it('S + L is refused', () => {
    const s = readLittleEndian(bytes.subarray(32));
    expect(s < L).toBe(true);
    const malleable = Buffer.concat([bytes.subarray(0, 32), littleEndian(s + L)]);
    expect(verifyEd25519(own, message, encodeBase64Url(malleable))).toBe(false);
  });

  it('every flipped bit is refused', () => {
    for (let bit = 0; bit < 512; bit++) {
      const flipped = Buffer.from(bytes);
      flipped[bit >> 3]! ^= 1 << (bit & 7);
      expect(verifyEd25519(own, message, encodeBase64Url(flipped))).toBe(false);
    }
  });

  it('R must be canonical, even where the equation holds', () => {
    // With R the identity, S = H(R, A, M)·a is a signature that the owner of the key can make.
    const verdict = (r: string) =>
      verifyEd25519(own, message, encodeBase64Url(signedWith(Buffer.from(r, 'hex'))));
    expect(verdict(SMALL_ORDER[0][1])).toBe(true);
    for (const [, r] of SMALL_ORDER.slice(8, 11)) expect(verdict(r)).toBe(false);
  });

  it('the identity point would verify anything: that is why its registration is refused', () => {
    const anything = b64u(`01${'00'.repeat(63)}`);
    expect(verifyEd25519(jwkOf(b64u(SMALL_ORDER[0][1])), 'anything', anything)).toBe(true);
    expect(parsePublicKey(b64u(SMALL_ORDER[0][1])).ok).toBe(false);
    expect(verifyEd25519(own, 'anything', anything)).toBe(false);
  });

  it('are what the equation without cofactor says, whatever point of small order R is or hides', () => {
    expect(libsodium).toBeDefined();
    const verdicts = new Map<string, number>();
    for (const [, torsion] of SMALL_ORDER.slice(0, 8)) {
      for (const nonce of [0n, 987_654_321n]) {
        const multiple = nonce === 0n ? Point.ZERO : Point.BASE.multiply(nonce);
        const R = multiple.add(Point.fromHex(torsion)).toBytes();
        const crafted = signedWith(R, nonce);
        const openSsl = verify(null, Buffer.from(message), pair.publicKey, crafted);
        expect(verifyEd25519(own, message, crafted.toString('base64url'))).toBe(openSsl);
        const point = Buffer.from(own.x, 'base64url');
        const taken = libsodium?.crypto_sign_verify_detached(crafted, Buffer.from(message), point);
        const verdict = `OpenSSL ${String(openSsl)}, libsodium ${String(taken)}`;
        verdicts.set(verdict, (verdicts.get(verdict) ?? 0) + 1);
      }
    }
    // The neutral point: as nothing beside R the plain signature, as R itself refused by one of them.
    expect(Object.fromEntries(verdicts)).toEqual({
      'OpenSSL true, libsodium true': 1,
      'OpenSSL true, libsodium false': 1,
      'OpenSSL false, libsodium false': 14,
    });
  });

  it('are the same bytes, whichever library makes them', () => {
    expect(libsodium).toBeDefined();
    for (let n = 0; n < 50; n++) {
      const { privateKey } = generateKeyPairSync('ed25519');
      const text = 'ü'.repeat(n * n);
      const expected = encodeBase64Url(sign(null, Buffer.from(text), privateKey));
      expect([signEd25519(privateKey, text), signEd25519(privateKey, text)]).toEqual([
        expected,
        expected,
      ]);
    }
  });

  it('are made by no key of another kind', () => {
    const { privateKey } = generateKeyPairSync('ed448');
    expect(() => signEd25519(privateKey, message)).toThrow('not a private key for Ed25519');
  });

  it('of another key do not verify', () => {
    const other = generateKeyPairSync('ed25519').privateKey;
    expect(verifyEd25519(own, message, signEd25519(other, message))).toBe(false);
  });
});

describe('private keys', () => {
  it('are those of node:crypto', () => {
    const made = privateKeyObject({ ...own, d: ownSeed });
    expect(made.export({ format: 'jwk' })).toEqual(
      createPrivateKey(pair.privateKey.export({ format: 'pem', type: 'pkcs8' })).export({
        format: 'jwk',
      }),
    );
  });

  it('of another kind are refused', () => {
    expect(() => privateKeyObject({ ...own, d: 'AA' })).toThrow();
  });
});
