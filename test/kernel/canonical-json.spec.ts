import fc from 'fast-check';
import { describe, expect, it } from '@jest/globals';
import canonicalize from 'canonicalize';
import { canonicalJson } from '../../src/kernel/canonical-json.js';

/** RFC 8785, appendix B. */
const NUMBERS: readonly (readonly [bits: string, text: string])[] = [
  ['0000000000000000', '0'],
  ['8000000000000000', '0'],
  ['0000000000000001', '5e-324'],
  ['8000000000000001', '-5e-324'],
  ['7fefffffffffffff', '1.7976931348623157e+308'],
  ['ffefffffffffffff', '-1.7976931348623157e+308'],
  ['4340000000000000', '9007199254740992'],
  ['c340000000000000', '-9007199254740992'],
  ['4430000000000000', '295147905179352830000'],
  ['44b52d02c7e14af5', '9.999999999999997e+22'],
  ['44b52d02c7e14af6', '1e+23'],
  ['44b52d02c7e14af7', '1.0000000000000001e+23'],
  ['444b1ae4d6e2ef4e', '999999999999999700000'],
  ['444b1ae4d6e2ef4f', '999999999999999900000'],
  ['444b1ae4d6e2ef50', '1e+21'],
  ['3eb0c6f7a0b5ed8c', '9.999999999999997e-7'],
  ['3eb0c6f7a0b5ed8d', '0.000001'],
  ['41b3de4355555553', '333333333.3333332'],
  ['41b3de4355555554', '333333333.33333325'],
  ['41b3de4355555555', '333333333.3333333'],
  ['41b3de4355555556', '333333333.3333334'],
  ['41b3de4355555557', '333333333.33333343'],
  ['becbf647612f3696', '-0.0000033333333333333333'],
  ['43143ff3c1cb0959', '1424953923781206.2'],
];

describe('canonical JSON (RFC 8785)', () => {
  it.each(NUMBERS)('the double %s is written %s', (bits, text) => {
    expect(canonicalJson(Buffer.from(bits, 'hex').readDoubleBE())).toBe(text);
  });

  it.each(['7fffffffffffffff', '7ff0000000000000', 'fff0000000000000'])('%s is none', (bits) => {
    expect(() => canonicalJson([Buffer.from(bits, 'hex').readDoubleBE()])).toThrow();
  });

  it.each([
    ['-0', '0'],
    ['1.10', '1.1'],
    ['1E30', '1e+30'],
    ['4.50', '4.5'],
    ['2e-3', '0.002'],
    ['0.000000000000000000000000001', '1e-27'],
    ['1e21', '1e+21'],
    ['100000000000000000000', '100000000000000000000'],
  ])('the literal %s is written %s', (literal, text) => {
    expect(canonicalJson(JSON.parse(literal))).toBe(text);
  });

  it('the example of section 3.2.2', () => {
    const text = String.raw`{
      "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
      "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
      "literals": [null, true, false]
    }`;
    expect(canonicalJson(JSON.parse(text))).toBe(
      String.raw`{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}`,
    );
  });

  it('names are sorted by UTF-16 code units (section 3.2.3)', () => {
    const names = ['\u20ac', '\r', '\ufb33', '1', '\ud83d\ude00', '\u0080', '\u00f6'];
    const sorted = ['\r', '1', '\u0080', '\u00f6', '\u20ac', '\ud83d\ude00', '\ufb33'];
    const object = Object.fromEntries(names.map((name) => [name, 0]));
    expect(canonicalJson(object)).toBe(
      `{${sorted.map((name) => `${JSON.stringify(name)}:0`).join(',')}}`,
    );
  });

  it('escapes control characters and nothing else', () => {
    expect(canonicalJson('\b\t\n\f\r\u0000\u001f\u007f\u2028"\\/')).toBe(
      String.raw`"\b\t\n\f\r\u0000\u001f` + '\u007f\u2028' + String.raw`\"\\/"`,
    );
  });

  it('leaves out what is undefined, and does not call what is named toJSON', () => {
    expect(canonicalJson({ b: undefined, a: [undefined], toJSON: 'text' })).toBe(
      '{"a":[null],"toJSON":"text"}',
    );
  });

  it.each([['\ud83d'], [['\ude00\ud83d']], [{ '\ud83d': 1 }], [undefined], [() => 1]])(
    'refuses what is no JSON: %p',
    (value) => {
      expect(() => canonicalJson(value)).toThrow();
    },
  );

  it('NFC and NFD stay two strings', () => {
    expect(canonicalJson('ü'.normalize('NFC'))).not.toBe(canonicalJson('ü'.normalize('NFD')));
  });

  it('law: it reads back as the same value, and a second time changes nothing', () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: 'binary' }), (value) => {
        fc.pre(JSON.stringify(value).isWellFormed() && !/\\ud[89a-f]/.test(JSON.stringify(value)));
        const text = canonicalJson(value);
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
        expect(canonicalJson(JSON.parse(text))).toBe(text);
      }),
    );
  });

  it('is the library’s, for whatever value', () => {
    const anything = fc.anything({
      withNullPrototype: true,
      withDate: true,
      stringUnit: 'binary',
      withSparseArray: true,
    } as fc.ObjectConstraints);
    const outcome = (make: () => string | undefined): unknown => {
      try {
        return make() ?? 'refused';
      } catch {
        return 'refused';
      }
    };
    const agrees = (value: unknown): void => {
      expect(outcome(() => canonicalJson(value))).toEqual(outcome(() => canonicalize(value)));
    };
    fc.assert(fc.property(fc.oneof(anything, fc.jsonValue()), agrees), { numRuns: 1000 });
    for (const value of [
      { b: undefined, a: 1 },
      [undefined, () => 1, Symbol('s')],
      { 10: 1, 9: 2, '\u20ac': 3, '\r': 4, '\ud83d\ude00': 5, '\ufb33': 6 },
      { '\ud800': 1 },
      ['\udc00'],
      { toJSON: () => ({ z: 1, a: [new Date(0)] }) },
      { a: { f: () => 1 } },
      JSON.parse('{"__proto__": {"b": 1, "a": 2}}') as unknown,
    ]) {
      agrees(value);
    }
  });
});
