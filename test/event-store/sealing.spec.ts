import { randomBytes, webcrypto } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { seal, SealBroken, unseal } from '../../src/event-store/sealing.js';
import { canonicalJson } from '../../src/kernel/canonical-json.js';
import type { JsonObject } from '../../src/kernel/json.js';

const place = {
  stream: 'interaction-4f5c1f0e-1f9a-4d9d-9f57-6f3c1c1e2a10',
  id: '0b1f3c7e-3a52-5f0e-8a55-1d2f3a4b5c6d',
  type: 'interaction-proposed',
};
const key = randomBytes(32);
const texts = { reason: 'naïve “quotes” 🦊', list: ['b', 'a'], nothing: null };

describe('sealed texts', () => {
  it('open to what was sealed', () => {
    expect(unseal(seal(canonicalJson(texts), key, randomBytes(12), place), key, place)).toEqual(
      texts,
    );
  });

  it('open to what was sealed, whatever that was', () => {
    const json = fc.dictionary(fc.string({ unit: 'grapheme' }), fc.jsonValue({ maxDepth: 3 }));
    fc.assert(
      fc.property(json, (value) => {
        const object = JSON.parse(JSON.stringify(value)) as JsonObject;
        expect(
          unseal(seal(canonicalJson(object), key, randomBytes(12), place), key, place),
        ).toEqual(object);
      }),
    );
  });

  it('are b64u(nonce12 ‖ ciphertext ‖ tag16) of AES-256-GCM, as another implementation reads it', async () => {
    const nonce = randomBytes(12);
    const bytes = Buffer.from(seal(canonicalJson(texts), key, nonce, place), 'base64url');
    expect(bytes.subarray(0, 12)).toEqual(nonce);
    const imported = await webcrypto.subtle.importKey('raw', key, 'AES-GCM', false, ['decrypt']);
    const additionalData = Buffer.from(`["${place.stream}","${place.id}","${place.type}"]`);
    const plain = await webcrypto.subtle.decrypt(
      { name: 'AES-GCM', iv: nonce, additionalData, tagLength: 128 },
      imported,
      bytes.subarray(12),
    );
    expect(Buffer.from(plain).toString()).toBe(
      '{"list":["b","a"],"nothing":null,"reason":"naïve “quotes” 🦊"}',
    );
  });

  it('never change: the log is written once', () => {
    const fixedKey = Buffer.alloc(32, 7);
    const nonce = Buffer.alloc(12, 9);
    const fixedPlace = { stream: 'interaction-x', id: 'i', type: 't' };
    const sealed = 'CQkJCQkJCQkJCQkJXKf28d-Drg-CWOlag4nCqqfVQY7uKiJX6pPwUTbVkdwEIT_B';
    expect(seal(canonicalJson({ reason: 'because' }), fixedKey, nonce, fixedPlace)).toBe(sealed);
    expect(unseal(sealed, fixedKey, fixedPlace)).toEqual({ reason: 'because' });
  });

  it('do not open under another key', () => {
    const sealed = seal(canonicalJson(texts), key, randomBytes(12), place);
    expect(() => unseal(sealed, randomBytes(32), place)).toThrow(SealBroken);
  });

  it.each(['stream', 'id', 'type'] as const)('do not open at another %s', (member) => {
    const sealed = seal(canonicalJson(texts), key, randomBytes(12), place);
    expect(() => unseal(sealed, key, { ...place, [member]: 'other' })).toThrow(SealBroken);
  });

  it('do not open at a place whose parts join to the same text', () => {
    const sealed = seal(canonicalJson(texts), key, randomBytes(12), {
      stream: 'a',
      id: 'b","c',
      type: 'd',
    });
    expect(() => unseal(sealed, key, { stream: 'a', id: 'b', type: 'c","d' })).toThrow(SealBroken);
  });

  it('do not open after any single bit was changed', () => {
    const bytes = Buffer.from(
      seal(canonicalJson({ a: 1 }), key, randomBytes(12), place),
      'base64url',
    );
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const changed = Buffer.from(bytes);
      changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      expect(() => unseal(changed.toString('base64url'), key, place)).toThrow(SealBroken);
    }
  });

  it.each(['', 'AAAA', 'not base64url!', 'A'.repeat(36)])('are not %j', (text) => {
    expect(() => unseal(text, key, place)).toThrow(SealBroken);
  });

  it('do not open when cut short, lengthened or spelled otherwise', () => {
    const sealed = seal(canonicalJson(texts), key, randomBytes(12), place);
    for (const changed of [sealed.slice(0, -4), `${sealed}AAAA`, `${sealed}=`, ` ${sealed}`]) {
      expect(() => unseal(changed, key, place)).toThrow(SealBroken);
    }
  });

  it('need a nonce of 12 bytes', () => {
    expect(() => seal(canonicalJson(texts), key, randomBytes(16), place)).toThrow(TypeError);
  });
});
