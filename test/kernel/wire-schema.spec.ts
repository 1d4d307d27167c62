import { describe, expect, it } from '@jest/globals';
import { validateContract, validateInteraction } from '../../src/kernel/wire-schema.js';
import { CONTRACT, negotiated } from '../audit/support/documents.js';

const document = JSON.parse(JSON.stringify(negotiated())) as Record<string, unknown>;

function faultsOf(contract: unknown): (readonly [pointer: string, detail: string])[] {
  const judged = validateContract(contract);
  return judged.ok ? [] : judged.error.map(({ pointer, detail }) => [pointer, detail] as const);
}

describe('faults', () => {
  it('point at each of several places at once', () => {
    const { purpose: _, ...rest } = CONTRACT;
    const faults = faultsOf({
      ...rest,
      retentionDays: 1.5,
      deadline: '2030-01-02T03:04Z',
      parties: ['a', 7],
      mediationPolicy: 'maybe',
      'a/b~c': 1,
    });
    expect(faults.toSorted()).toEqual([
      ['/a~1b~0c', 'is not a member of this object'],
      ['/deadline', 'is not a UTC date-time (RFC 3339) with seconds that ends in Z'],
      ['/mediationPolicy', 'must be one of ["none","mutual_consent"]'],
      ['/parties/1', 'must be string'],
      ['/purpose', 'is missing'],
      ['/retentionDays', 'must be integer'],
    ]);
  });

  it.each([null, 7, 'text', [], true, undefined])('%j is refused as a whole', (value) => {
    expect(faultsOf(value)).toEqual([['', 'must be object']]);
  });

  it('point into maps and lists', () => {
    const interaction = structuredJson(document);
    interaction.contractRevisions[1].acceptances['agent-beta'].signature.extra = 1;
    const judged = validateInteraction(interaction);
    expect(judged.ok ? [] : judged.error.map(({ pointer }) => pointer)).toEqual([
      '/contractRevisions/1/acceptances/agent-beta/signature/extra',
    ]);
  });

  it('never repeat a value of the document', () => {
    const secret = 'a-secret-that-must-not-travel';
    for (const member of Object.keys(CONTRACT)) {
      expect(JSON.stringify(faultsOf({ ...CONTRACT, [member]: { secret } }))).not.toContain(secret);
    }
    expect(JSON.stringify(faultsOf({ ...CONTRACT, mediationPolicy: secret }))).not.toContain(
      secret,
    );
  });

  it('a member of the prototype is no member', () => {
    const hostile = JSON.parse('{"__proto__":{"purpose":"x"},"constructor":1}') as object;
    const pointers = faultsOf(hostile).map(([pointer]) => pointer);
    expect(pointers).toContain('/__proto__');
    expect(pointers).toContain('/constructor');
    expect(pointers).toContain('/purpose');
  });
});

describe('hostile documents', () => {
  const small = 64 * 1024;
  const size = (value: unknown) => Buffer.byteLength(JSON.stringify(value));
  const members = (count: number, value: unknown) =>
    Object.fromEntries(Array.from({ length: count }, (_, n) => [`m${n}`, value]));
  const longName = 'n'.repeat(200_000);

  it.each([
    [
      'a fault in each of 100 000 items',
      { ...CONTRACT, parties: Array.from({ length: 100_000 }, () => 0) },
    ],
    ['3000 faults', { ...CONTRACT, parties: Array.from({ length: 3000 }, () => 0) }],
    ['20 000 unknown members', { ...CONTRACT, ...members(20_000, 1) }],
    ['1000 unknown members', { ...CONTRACT, ...members(1000, 1) }],
    ['a member with a long name', { ...CONTRACT, [longName]: 1 }],
    [
      'many faults under a long name',
      { ...CONTRACT, signatures: { [longName]: members(1000, 1) } },
    ],
    [
      'a long name that must be escaped',
      { ...CONTRACT, signatures: { ['/~'.repeat(100_000)]: {} } },
    ],
    ['a long text in place of a date', { ...CONTRACT, deadline: '0'.repeat(250_000) }],
    [
      'a date with a long fraction',
      { ...CONTRACT, deadline: `2030-01-01T00:00:00.${'9'.repeat(250_000)}` },
    ],
  ])('%s: at most 50 faults, in a few KiB', (_, contract) => {
    const faults = faultsOf(contract);
    expect(faults.length).toBeGreaterThan(0);
    expect(faults.length).toBeLessThanOrEqual(50);
    expect(size(faults)).toBeLessThan(small);
  });

  it('a fault under a name that is too long points at its nearest ancestor', () => {
    expect(faultsOf({ ...CONTRACT, signatures: { [longName]: 1 } })).toEqual([
      ['/signatures', 'has a member with a long name that must be object'],
    ]);
  });

  it.each([
    ['path', `https://a.example/${'a%20'.repeat(60_000)}`, true],
    ['path, and then a space', `https://a.example/${'a/'.repeat(120_000)} `, false],
    ['list of ports', `https://${'a:'.repeat(120_000)}`, true],
    ['path of 8 MiB', `https://a.example/${'a'.repeat(8 * 1024 * 1024)}`, false],
    ['address', `https://[${':'.repeat(250_000)}`, false],
    ['scheme', 'a'.repeat(250_000), false],
    ['query', `a:?${'?'.repeat(250_000)}\n`, false],
  ])('an endpoint with a long %s is judged', (_, endpoint, accepted) => {
    const responderTransport = { ...(document['responderTransport'] as object), endpoint };
    expect(validateInteraction({ ...document, responderTransport }).ok).toBe(accepted);
  });
});

describe('revisions', () => {
  it('are judged one by one', () => {
    const [first, ...rest] = negotiated().contractRevisions;
    const withFirst = (revision: object): object =>
      structuredJson({ ...document, contractRevisions: [revision, ...rest] }) as object;
    expect(validateInteraction(withFirst(first!)).ok).toBe(true);
    expect(validateInteraction(withFirst({ ...first, revision: 0 }))).toMatchObject({
      ok: false,
      error: [{ pointer: '/contractRevisions/0/revision' }],
    });
  });
});

// eslint-disable-next-line @typescript-eslint/no-explicit-any
function structuredJson(value: unknown): any {
  return JSON.parse(JSON.stringify(value));
}
