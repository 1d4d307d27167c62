import { describe, expect, it } from '@jest/globals';
import {
  deriveUuid,
  parseAgentId,
  parseInteractionId,
  parseKeyId,
  parseTermsHash,
} from '../../src/kernel/ids.js';

const UUID = '7c9e6679-7425-40de-944b-e07fc1f90ae7';

describe('agent ids', () => {
  it.each([
    'a',
    '0',
    'agent-alpha',
    'did:web:agents.example:alpha',
    'A._:~-9',
    'constructor',
    'toString',
    'a'.repeat(128),
  ])('%s', (text) => {
    expect(parseAgentId(text)).toBe(text);
  });

  it.each([
    '',
    '-a',
    '.a',
    ':a',
    '~a',
    'a/b',
    'a b',
    'a#1',
    'a\n',
    '\na',
    'ä',
    '__proto__',
    'a'.repeat(129),
  ])('not %j', (text) => {
    expect(parseAgentId(text)).toBeUndefined();
  });
});

describe('key ids', () => {
  it.each(['k', 'agent-alpha#1', 'did:web:a.example#key-1', 'k'.repeat(160)])('%s', (text) => {
    expect(parseKeyId(text)).toBe(text);
  });

  it.each(['', '#1', 'a/b', 'a b', 'a\n', 'k'.repeat(161)])('not %j', (text) => {
    expect(parseKeyId(text)).toBeUndefined();
  });
});

describe('interaction ids', () => {
  it.each([UUID, ...'12345678'.split('').map((version) => UUID.replace('40de', `${version}0de`))])(
    '%s',
    (text) => {
      expect(parseInteractionId(text)).toBe(text);
    },
  );

  it.each([
    '00000000-0000-0000-0000-000000000000',
    'ffffffff-ffff-ffff-ffff-ffffffffffff',
    UUID.toUpperCase(),
    UUID.replace('e07fc1f90ae7', 'E07fc1f90ae7'),
    UUID.replace('40de', '00de'),
    UUID.replace('40de', '90de'),
    UUID.replace('944b', 'c44b'),
    UUID.replace('944b', '744b'),
    `urn:uuid:${UUID}`,
    `{${UUID}}`,
    `${UUID}\n`,
    UUID.replaceAll('-', ''),
    '',
  ])('not %j', (text) => {
    expect(parseInteractionId(text)).toBeUndefined();
  });
});

describe('terms hashes', () => {
  const hash = 'EixzToIN05H7uwySM9C3emWArSgZSAnmXZg5DZAxVsw';

  it('have one spelling of 43 characters', () => {
    expect(parseTermsHash(hash)).toBe(hash);
    const last = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'.split('');
    const accepted = last.filter((each) => parseTermsHash(hash.slice(0, -1) + each) !== undefined);
    expect(accepted.join('')).toBe('AEIMQUYcgkosw048');
  });

  it.each([`${hash}=`, `${hash}\n`, hash.slice(1), `${hash}A`, hash.replace('z', '+'), ''])(
    'not %j',
    (text) => {
      expect(parseTermsHash(text)).toBeUndefined();
    },
  );
});

describe('derived ids', () => {
  // Made with another implementation of UUIDv5 in 6f2d1c9e-e4f1-4c0f-a1e7-b5a8d3c95b42: the
  // namespace and the bytes are for ever.
  it.each([
    [[], '90161bfe-ea92-5440-b00f-5e20c65ebee1'],
    [
      ['command', 'tenant-a', 'principal', null, 'key', 'k1'],
      'f5a636f1-b5d4-5521-b4bb-6dd01a2ba416',
    ],
    [['event', '3f0e2d0c-0000-4000-8000-000000000000', 0], '33263881-f612-50c3-b197-fab7e8c28bd6'],
    [['naïve “ü”', '€'], 'fc6c54f3-83e5-5a58-95b4-c90541af614e'],
  ])('%j is %s', (name, uuid) => {
    expect(deriveUuid(name)).toBe(uuid);
    expect(parseInteractionId(uuid)).toBe(uuid);
  });

  it('tell apart what differs only in where one part ends', () => {
    expect(deriveUuid(['a', 'bc'])).not.toBe(deriveUuid(['ab', 'c']));
    expect(deriveUuid(['1'])).not.toBe(deriveUuid([1]));
  });
});
