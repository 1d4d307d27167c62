import { describe, expect, it } from '@jest/globals';
import { declaredExtensions } from '../../../src/capabilities/domain/card-extensions.js';
import { extensionsHeader, negotiateExtensions } from '../../../src/a2a/negotiation/extensions.js';
import type { ReceivedValue } from '../../../src/a2a/negotiation/version.js';

const TRUST = 'https://countersign.example/extensions/trust/v1';
const DIRECT = 'https://a2a.example/extensions/skill-direct-invoke/v1';
const DECLARED = [TRUST, DIRECT];

function activated(header: ReceivedValue, required: readonly string[] = []): readonly string[] {
  const negotiated = negotiateExtensions(header, DECLARED, required);
  if (!negotiated.ok) throw new Error(negotiated.error.error);
  return [...negotiated.value];
}

describe('the A2A-Extensions of a request', () => {
  it.each<[what: string, header: ReceivedValue, uris: readonly string[]]>([
    ['none', undefined, []],
    ['an empty one', '', []],
    ['commas alone', ' , ,,', []],
    ['one', TRUST, [TRUST]],
    ['one with white space around', ` \t${TRUST}  `, [TRUST]],
    ['a duplicate', `${TRUST}, ${TRUST}`, [TRUST]],
    ['both, in the order of the card', `${DIRECT},${TRUST}`, [TRUST, DIRECT]],
    ['two header lines', [DIRECT, TRUST], [TRUST, DIRECT]],
    ['two header lines with a list each', [`x, ${DIRECT}`, `${TRUST}, y`], [TRUST, DIRECT]],
    ['an unknown one beside it', `https://other.example/v1, ${TRUST}`, [TRUST]],
    ['a trailing slash', `${TRUST}/`, []],
    ['another version', TRUST.replace('v1', 'v2'), []],
    ['another case', TRUST.toUpperCase(), []],
    ['http', TRUST.replace('https', 'http'), []],
    ['a quoted one', `"${TRUST}"`, []],
    ['a part of one', TRUST.slice(0, -1), []],
    ['blanks for commas', `${TRUST} ${DIRECT}`, []],
  ])('%s', (_, header, uris) => {
    expect(activated(header)).toEqual(uris);
  });

  it('takes 10 kB of anything in its stride', () => {
    for (const junk of [',', ' ', 'a', ', ', '\t,', `${TRUST}/,`, ',a'] as const) {
      const header = `${junk.repeat(10_240 / junk.length)},${TRUST}`;
      const started = performance.now();
      expect(activated(header)).toEqual([TRUST]);
      expect(performance.now() - started).toBeLessThan(100);
    }
  });

  it('never takes a name of a prototype for a declared one', () => {
    expect(activated('__proto__, constructor, toString')).toEqual([]);
  });

  it('must name what is required, and is told what is missing', () => {
    expect(activated(TRUST, [TRUST])).toEqual([TRUST]);
    for (const header of [undefined, '', `${TRUST}/`, DIRECT]) {
      expect(negotiateExtensions(header, DECLARED, [TRUST])).toMatchObject({
        ok: false,
        error: { error: 'ExtensionSupportRequired', metadata: { missing: TRUST } },
      });
    }
    expect(negotiateExtensions(undefined, DECLARED, DECLARED)).toMatchObject({
      error: { metadata: { missing: `${TRUST}, ${DIRECT}` } },
    });
  });

  it('is answered by what was activated, and by no header otherwise', () => {
    expect(extensionsHeader(new Set())).toBeUndefined();
    expect(extensionsHeader(new Set(DECLARED))).toBe(`${TRUST}, ${DIRECT}`);
  });
});

describe('the extensions of a card', () => {
  it('are declared as required only when the deployment says so', () => {
    const settings = { trustUri: TRUST, directInvokeUri: DIRECT };
    const required = (...uris: readonly string[]) =>
      declaredExtensions({ ...settings, required: uris }, {}).map((each) => [
        each.uri,
        each.required,
      ]);
    expect(required()).toEqual([
      [TRUST, undefined],
      [DIRECT, undefined],
    ]);
    expect(required(DIRECT)).toEqual([
      [TRUST, undefined],
      [DIRECT, true],
    ]);
    expect(required(TRUST, DIRECT)).toEqual([
      [TRUST, true],
      [DIRECT, true],
    ]);
  });
});
