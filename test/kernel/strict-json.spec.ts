import fc from 'fast-check';
import { describe, expect, it } from '@jest/globals';
import type { Json } from '../../src/kernel/json.js';
import { parseStrictJson, SIGNED_DOCUMENT_LIMITS } from '../../src/kernel/strict-json.js';

const parse = (text: string) => parseStrictJson(Buffer.from(text));

function refusal(text: string | Uint8Array): string {
  const parsed = parseStrictJson(typeof text === 'string' ? Buffer.from(text) : text);
  return parsed.ok ? 'accepted' : `${parsed.error.code} ${parsed.error.pointer}`.trimEnd();
}

describe('case 3: duplicate member names', () => {
  it.each([
    ['{"retentionDays":1,"retentionDays":3650}', '/retentionDays'],
    ['{"retentionDays":1,"retention\\u0044ays":3650}', '/retentionDays'],
    ['{"\\u0072etentionDays":1,"x":[],"retentionDays":1}', '/retentionDays'],
    ['{"a":{"b":[0,{"retentionDays":1,"retentionDays":3650}]}}', '/a/b/1/retentionDays'],
    ['{"a":{"b":[0,{"retentionDays":1,"retention\\u0044ays":3650}]}}', '/a/b/1/retentionDays'],
    ['[[[{"":1,"":2}]]]', '/0/0/0/'],
    ['{"\\ud83d\\ude00":1,"😀":2}', '/😀'],
    ['{"a/b":1,"a\\/b":2}', '/a~1b'],
    ['{"a~":1,"a\\u007e":2}', '/a~0'],
    ['{"a":1,"b":{"a":1},"a":2}', '/a'],
  ])('%s', (text, pointer) => {
    expect(refusal(text)).toBe(`json-duplicate-name ${pointer}`);
  });

  it.each([
    '{"a":{"a":1},"b":{"a":1}}',
    '[{"a":1},{"a":1}]',
    '{"a":"a","b":"a"}',
    '{"A":1,"a":1}',
    // NFC and NFD are different strings.
    '{"\\u00fc":1,"u\\u0308":1}',
    '{"a":"\\"a\\":1,\\"a\\":1"}',
  ])('not in %s', (text) => {
    expect(refusal(text)).toBe('accepted');
  });
});

describe('case 4: lone surrogates', () => {
  it.each([
    ['"\\ud83d"', ''],
    ['{"a":"\\ud83d"}', '/a'],
    ['{"a":["x","\\ude00"]}', '/a/1'],
    ['"\\ude00\\ud83d"', ''],
    ['"\\ud83d\\ud83d\\ude00"', ''],
    ['"\\ud83dx\\ude00"', ''],
    ['"\\uD83D\\u0000"', ''],
  ])('%s', (text, pointer) => {
    expect(refusal(text)).toBe(`json-lone-surrogate ${pointer}`.trimEnd());
  });

  it('in a member name', () => {
    expect(refusal('{"\\ud83d":1}')).toBe('json-lone-surrogate /\ud83d');
  });

  it.each(['"\\ud83d\\ude00"', '"😀"', '"\\\\ud83d"'])('not in %s', (text) => {
    expect(refusal(text)).toBe('accepted');
  });
});

describe('case 5: numbers', () => {
  it.each([
    '9007199254740993',
    '-9007199254740993',
    '9007199254740993.0',
    '1E400',
    '-1e400',
    '1e-400',
    '4.9e-324',
    '0.1000000000000000055511151231257827',
    '0.30000000000000004000001',
    '123456789012345678901234567890',
    `0.1${'0'.repeat(200_000)}1`,
    `1${'0'.repeat(400)}`,
  ])('%s does not survive', (literal) => {
    expect(refusal(literal)).toBe('json-inexact-number');
    expect(refusal(`{"a":[0,${literal}]}`)).toBe('json-inexact-number /a/1');
  });

  it.each([
    ['-0', -0],
    ['-0.0e99', -0],
    ['0e999999', 0],
    ['1.10', 1.1],
    ['1.0', 1],
    ['10e-1', 1],
    ['9007199254740992', 2 ** 53],
    ['9007199254740994', 2 ** 53 + 2],
    ['1e21', 1e21],
    ['1000000000000000000000', 1e21],
    ['1E+2', 100],
    ['5e-324', 5e-324],
    ['1.7976931348623157e308', Number.MAX_VALUE],
    [`1${'0'.repeat(200_000)}e-200000`, 1],
    [`0.${'0'.repeat(200_000)}1e200001`, 1],
  ])('%s survives', (literal, value) => {
    expect(parse(literal)).toEqual({ ok: true, value });
  });

  it('survive exactly when the double that is read is written back as the same decimal', () => {
    const digits = (max: number) =>
      fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: 1, maxLength: max });
    const literal = fc
      .tuple(
        fc.constantFrom('', '-'),
        digits(20).map((whole) => whole.replace(/^0+(?=\d)/, '')),
        fc.option(digits(20), { nil: undefined }),
        fc.option(fc.integer({ min: -340, max: 330 }), { nil: undefined }),
      )
      .map(([sign, whole, fraction, exponent]) =>
        [
          sign,
          whole,
          fraction && `.${fraction}`,
          exponent === undefined ? '' : `e${exponent}`,
        ].join(''),
      );
    fc.assert(
      fc.property(
        fc.oneof(literal, fc.double({ noNaN: true, noDefaultInfinity: true }).map(String)),
        (text) => {
          const value = Number(text);
          const survives = Number.isFinite(value) && equalDecimals(text, String(value));
          expect([text, refusal(text)]).toEqual([
            text,
            survives ? 'accepted' : 'json-inexact-number',
          ]);
        },
      ),
      { numRuns: 3000 },
    );
  });
});

/** a = m·10^e as integers, compared by cross-multiplication. */
function equalDecimals(a: string, b: string): boolean {
  const [ma, ea] = decimal(a);
  const [mb, eb] = decimal(b);
  const low = Math.min(ea, eb);
  return ma * 10n ** BigInt(ea - low) === mb * 10n ** BigInt(eb - low);
}

function decimal(literal: string): [mantissa: bigint, exponent: number] {
  const [mantissa = '', exponent = '0'] = literal.toLowerCase().split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  return [BigInt(`${whole}${fraction}`.replace(/^-$/, '0')), Number(exponent) - fraction.length];
}

describe('forbidden names', () => {
  it.each([
    ['{"__proto__":{}}', '/__proto__'],
    ['{"a":[{"\\u005f_proto__":1}]}', '/a/0/__proto__'],
  ])('%s', (text, pointer) => {
    expect(refusal(text)).toBe(`json-forbidden-name ${pointer}`);
  });

  it.each(['{"constructor":1,"toString":2,"proto":3}', '{"a":"__proto__"}'])(
    'not in %s',
    (text) => {
      expect(refusal(text)).toBe('accepted');
    },
  );
});

describe('size and depth', () => {
  it('256 KiB are the limit, in bytes', () => {
    const euros = '€'.repeat((256 * 1024 - 4) / 3);
    expect(Buffer.byteLength(`"${euros}"  `)).toBe(256 * 1024);
    expect(refusal(`"${euros}"  `)).toBe('accepted');
    expect(refusal(`"${euros}"   `)).toBe('json-too-large');
  });

  it('64 levels are the limit', () => {
    const nested = (levels: number) => `${'[{"a":'.repeat(levels / 2)}1${'}]'.repeat(levels / 2)}`;
    expect(refusal(nested(64))).toBe('accepted');
    expect(refusal(nested(66))).toBe('json-too-deep');
    expect(refusal(`[${nested(64)}]`)).toBe('json-too-deep');
    expect(refusal('['.repeat(200_000))).toBe('json-too-deep');
  });

  it('brackets within strings are no nesting, however they are escaped', () => {
    const brackets = '[{'.repeat(100);
    expect(refusal(`["${brackets}","\\"${brackets}","\\\\",["\\\\\\"${brackets}"]]`)).toBe(
      'accepted',
    );
  });

  it('other limits may be given', () => {
    const limits = { ...SIGNED_DOCUMENT_LIMITS, maxDepth: 1 };
    expect(parseStrictJson(Buffer.from('[1]'), limits).ok).toBe(true);
    expect(parseStrictJson(Buffer.from('[[1]]'), limits).ok).toBe(false);
  });

  it('takes at most 50,000 values, whatever they are and wherever', () => {
    const numbers = (count: number) => `[${Array.from({ length: count }, () => '0').join(', ')}]`;
    expect(refusal(numbers(49_999))).toBe('accepted');
    expect(refusal(numbers(50_000))).toBe('json-too-many-values');
    const member = (_: unknown, index: number) => `"${index.toString(36)}":1`;
    const members = (count: number) => `{${Array.from({ length: count }, member).join()}}`;
    expect(refusal(members(25_000))).toBe('accepted');
    const limits = { ...SIGNED_DOCUMENT_LIMITS, maxValues: 3 };
    const few = (text: string) => parseStrictJson(Buffer.from(text), limits);
    expect(few('["a,b,[{", {"c": 1}]')).toMatchObject({ error: { code: 'json-too-many-values' } });
    expect(few('["a,b,[{", "c"]').ok).toBe(true);
    expect(few('{"a": {"b": ",,,,"}}').ok).toBe(true);
    expect(few('[[[]]]')).toMatchObject({ error: { code: 'json-too-many-values', pointer: '' } });
  });

  it('refuses too many values before it reads them', () => {
    expect(refusal(`[${'0,'.repeat(60_000)}]`)).toBe('json-too-many-values');
    expect(refusal(`[${'0,'.repeat(40_000)}]`)).toBe('json-syntax');
  });

  it('long runs of escapes, quotes and zeros are walked once', () => {
    for (const text of [
      `"${'\\\\'.repeat(120_000)}"`,
      `"${'\\"'.repeat(120_000)}"`,
      `[${'"",'.repeat(49_000)}0]`,
      `[${'0.10,'.repeat(49_000)}0]`,
    ]) {
      expect(refusal(text)).toBe('accepted');
    }
  });
});

describe('what is no JSON', () => {
  it.each([
    '',
    ' ',
    '\ufeff{}',
    '{a:1}',
    "{'a':1}",
    '{"a":1,}',
    '[1,]',
    '[1,,2]',
    '01',
    '+1',
    '.5',
    '1.',
    '0x10',
    'NaN',
    'Infinity',
    '-',
    'undefined',
    '/**/1',
    '"\t"',
    '"\\x41"',
    '"\\u12"',
    '"open',
    '{"a":1}{"a":1}',
    '{"a":1 "b":2}',
    ']',
    '{"a"',
  ])('%j', (text) => {
    expect(refusal(text)).toBe('json-syntax');
  });

  it.each([
    ['a lone continuation byte', [0x22, 0x80, 0x22]],
    ['an overlong slash', [0x22, 0xc0, 0xaf, 0x22]],
    ['a surrogate in three bytes', [0x22, 0xed, 0xa0, 0xbd, 0x22]],
    ['UTF-16', [0xff, 0xfe, 0x31, 0x00]],
  ])('not UTF-8: %s', (_, bytes) => {
    expect(refusal(Uint8Array.from(bytes))).toBe('json-not-utf8');
  });
});

describe('laws', () => {
  it('what JSON.stringify writes is read as JSON.parse reads it', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), fc.constantFrom(undefined, 2), (value, indent) => {
        const text = JSON.stringify(value, undefined, indent);
        fc.pre(!text.includes('__proto__'));
        expect(parse(text)).toEqual({ ok: true, value: JSON.parse(text) as Json });
      }),
    );
  });

  it('nothing is accepted that JSON.parse refuses', () => {
    const pieces = fc.constantFrom(
      ...'{}[]",:\\ \n019-+.eEuabd'.split(''),
      'true',
      'null',
      '\\u00',
      '"a"',
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 24 }), (parts) => {
        const text = parts.join('');
        const parsed = parse(text);
        let reference: unknown;
        try {
          reference = JSON.parse(text);
        } catch {
          expect(parsed.ok).toBe(false);
          return;
        }
        if (parsed.ok) expect(parsed.value).toEqual(reference);
        else expect(parsed.error.code).not.toBe('json-syntax');
      }),
      { numRuns: 3000 },
    );
  });

  it('an object is refused exactly when a name is repeated, however names are spelled', () => {
    const escaped = (name: string): string =>
      [...name].map((each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`).join('');
    const member = fc.tuple(fc.constantFrom('a', 'b', 'c', 'ä', 'aa'), fc.boolean());
    fc.assert(
      fc.property(
        fc.array(member, { maxLength: 4 }),
        fc.integer({ min: 0, max: 5 }),
        (members, depth) => {
          const names = members.map(([name]) => name);
          const object = members.map(([name, escape]) => `"${escape ? escaped(name) : name}":0`);
          const text = `${'[1,'.repeat(depth)}{${object.join(',')}}${']'.repeat(depth)}`;
          expect(parse(text).ok).toBe(new Set(names).size === names.length);
        },
      ),
    );
  });
});
