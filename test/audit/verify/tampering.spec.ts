import fc from 'fast-check';
import { describe, expect, it } from '@jest/globals';
import { parseVerificationKeys } from '../../../src/audit/verify/verification-keys.js';
import { verifyInteraction } from '../../../src/audit/verify/verify-interaction.js';
import type { Json, JsonPointer } from '../../../src/kernel/json.js';
import { pointerTo } from '../../../src/kernel/json.js';
import { keysDocument, negotiated } from '../support/documents.js';

const document = JSON.parse(JSON.stringify(negotiated())) as Json;
const keys = parseVerificationKeys(keysDocument());

function resultOf(changed: Json): string {
  if (!keys.ok) throw new Error('the keys of the test are unreadable');
  return verifyInteraction(changed, keys.value).result;
}

/** Revision 2 is the accepted one, in force. */
const IN_FORCE = '/contractRevisions/1';

/**
 * What no signature and no rule covers: where the parties are reached, when an interaction last
 * changed after its newest revision did, and of revisions that never came into force the id and the
 * moments that the rules leave open.
 */
const NOT_COVERED: readonly RegExp[] = [
  /^\/(initiator|responder)Transport\/(protocolBinding|endpoint|managedBy)$/,
  /^\/updatedAt$/,
  /^\/contractRevisions\/[023]\/revisionId$/,
  /^\/contractRevisions\/2\/(createdAt|updatedAt)$/,
];

interface Place {
  readonly pointer: JsonPointer;
  readonly value: Json;
}

function places(value: Json, pointer = ''): Place[] {
  const children =
    typeof value === 'object' && value !== null
      ? Object.entries(value as Record<string, Json>).flatMap(([token, child]) =>
          places(child, pointerTo(pointer, token)),
        )
      : [];
  return [{ pointer, value }, ...children];
}

/** Another value of the same kind, so that the schema is not what finds it. */
function flipped(value: string | number | boolean): Json {
  if (typeof value === 'number') return value + 1;
  if (typeof value === 'boolean') return !value;
  if (/^\d{4}-.*Z$/.test(value))
    return value.replace(/(\d)Z$/, (_, digit) => `${(Number(digit) + 1) % 10}Z`);
  if (/^[0-9a-f]{8}-/.test(value)) return value.replace(/.$/, '9');
  if (value.startsWith('https://')) return `${value}x`;
  if (ENUMS.some((words) => words.includes(value))) {
    const words = ENUMS.find((each) => each.includes(value))!;
    return words[(words.indexOf(value) + 1) % words.length]!;
  }
  return value.replace(/.$/u, (last) => (last === 'x' ? 'y' : 'x'));
}

const ENUMS: readonly (readonly string[])[] = [
  ['pending', 'active', 'expired'],
  ['proposed', 'accepted', 'rejected', 'superseded'],
  ['none', 'mutual_consent'],
  ['oauth_account', 'ed25519'],
  ['agent', 'openclasp'],
];

function replaced(at: Json, [token, ...rest]: readonly string[], value: Json | undefined): Json {
  if (token === undefined) return value ?? null;
  if (Array.isArray(at)) {
    const index = Number(token);
    if (rest.length === 0 && value === undefined) return at.toSpliced(index, 1);
    return at.with(index, replaced(at[index] as Json, rest, value));
  }
  const object = at as Record<string, Json>;
  if (rest.length === 0 && value === undefined) {
    return Object.fromEntries(Object.entries(object).filter(([name]) => name !== token));
  }
  return { ...object, [token]: replaced(object[token]!, rest, value) };
}

function change(pointer: JsonPointer, value: Json | undefined): Json {
  const tokens = pointer
    .split('/')
    .slice(1)
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
  return replaced(document, tokens, value);
}

const everywhere = places(document);
const leaves = everywhere.filter(
  (place): place is { pointer: string; value: string | number | boolean } =>
    typeof place.value !== 'object',
);

describe('tampering with a verified document', () => {
  it('starts from a document that is verified', () => {
    expect(resultOf(document)).toBe('verified');
    expect(leaves.length).toBeGreaterThan(150);
  });

  it.each(leaves.filter(({ pointer }) => !NOT_COVERED.some((each) => each.test(pointer))))(
    'a flip of $pointer fails',
    ({ pointer, value }) => {
      const changed = change(pointer, flipped(value));
      expect(changed).not.toEqual(document);
      expect(resultOf(changed)).toBe('failed');
    },
  );

  it('the list of what is not covered is exact', () => {
    const survivors = leaves
      .filter(({ pointer, value }) => resultOf(change(pointer, flipped(value))) !== 'failed')
      .map(({ pointer }) => pointer);
    const listed = leaves
      .map(({ pointer }) => pointer)
      .filter((pointer) => NOT_COVERED.some((each) => each.test(pointer)));
    expect(survivors).toEqual(listed);
  });

  it('every member of the revision in force matters: dropped or joined by another, it fails', () => {
    const within = everywhere.filter(({ pointer }) => pointer.startsWith(IN_FORCE));
    expect(within.length).toBeGreaterThan(50);
    for (const { pointer, value } of within) {
      expect([pointer, resultOf(change(pointer, undefined))]).toEqual([pointer, 'failed']);
      if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
        expect(resultOf(change(pointer, { ...(value as object), extra: 'x' }))).toBe('failed');
      }
      if (Array.isArray(value)) {
        expect(resultOf(change(pointer, [...value, 'x']))).toBe('failed');
      }
    }
  });

  it('any value in place of any value of the revision in force fails', () => {
    const within = everywhere.filter(({ pointer }) => pointer.startsWith(IN_FORCE));
    fc.assert(
      fc.property(fc.constantFrom(...within), fc.jsonValue(), ({ pointer, value }, other) => {
        fc.pre(JSON.stringify(other) !== JSON.stringify(value));
        // 0 and -0 are one number to the canonicaliser, hence to everybody who hashes.
        fc.pre(!Object.is(other, -0));
        expect(resultOf(change(pointer, other as Json))).toBe('failed');
      }),
      { numRuns: 500 },
    );
  });

  it('no change of the order of members or of white space matters', () => {
    const reversed = (value: Json): Json => {
      if (Array.isArray(value)) return value.map((each: Json) => reversed(each));
      if (typeof value !== 'object' || value === null) return value;
      return Object.fromEntries(
        Object.entries(value as Record<string, Json>)
          .toReversed()
          .map(([name, each]) => [name, reversed(each)]),
      );
    };
    expect(resultOf(reversed(document))).toBe('verified');
  });
});
