import { describe, expect, it } from '@jest/globals';
import { readManifest } from '../../../src/capabilities/commands/read-manifest.js';
import type { Json } from '../../../src/kernel/json.js';
import { FINANCE } from '../support/capabilities.js';
import { edited, RECONCILE, RICH } from '../support/documents.js';

/** The code, and the pointers with the rules that they name. */
function refusal(document: Json): unknown {
  const read = readManifest(document, FINANCE);
  if (read.ok) return 'ok';
  const { code, faults = [] } = read.error;
  return [code, ...faults.map(({ pointer, detail }) => `${pointer} ${detail}`)];
}

const direct = { input_schema: {}, output_schema: {}, backend: { type: 'http' } };

describe('a manifest document', () => {
  it.each([RECONCILE, RICH])('is a manifest when nothing is wrong with it', (document) => {
    expect(refusal(document)).toBe('ok');
  });

  it('that breaks one rule has its code and its place', () => {
    expect(refusal({ ...RECONCILE, visibility: 'public' })).toEqual([
      'public-capability-restricted',
      expect.stringMatching(/^\/requires_scopes public-capability-restricted: A public /),
    ]);
    expect(refusal({ ...RECONCILE, visibility: 'public', tenants: ['a'] })).toEqual([
      'public-capability-restricted',
      expect.stringMatching(/^\/requires_scopes public-capability-restricted: /),
      expect.stringMatching(/^\/tenants public-capability-restricted: /),
    ]);
    expect(refusal({ ...RECONCILE, replacement: 'v2' })).toEqual([
      'replacement-unexpected',
      expect.stringMatching(/^\/replacement replacement-unexpected: /),
    ]);
  });

  const threeRules = {
    ...RECONCILE,
    visibility: 'public',
    requires_contract: true,
    replacement: 'v2',
  };
  const three = [
    expect.stringMatching(/^\/requires_scopes public-capability-restricted: /),
    expect.stringMatching(/^\/action contract-action-missing: /),
    expect.stringMatching(/^\/replacement replacement-unexpected: /),
  ];

  it('that breaks several is told all of them', () => {
    expect(refusal(threeRules)).toEqual(['manifest-invalid', ...three]);
  });

  it('is told its rules beside the faults of its schemas and its shape', () => {
    const direct_invoke = { ...direct, input_schema: { type: 'objekt' } };
    const schema = expect.stringMatching(/^\/direct_invoke\/input_schema\/type /);
    expect(refusal({ ...threeRules, direct_invoke })).toEqual([
      'manifest-invalid',
      schema,
      ...three,
    ]);
    expect(refusal({ ...threeRules, direct_invoke, owner: '' })).toEqual([
      'manifest-invalid',
      expect.stringMatching(/^\/owner /),
      schema,
      ...three,
    ]);
  });

  it('is judged by its one readable schema', () => {
    const direct_invoke = { ...direct, input_schema: 1, output_schema: { $async: true } };
    expect(refusal({ ...RECONCILE, direct_invoke })).toEqual([
      'manifest-invalid',
      '/direct_invoke/input_schema must be an object',
      '/direct_invoke/output_schema/$async is not supported',
    ]);
  });

  it.each<readonly [string, Json]>([
    ['/action', 3],
    ['/replacement', 3],
    ['/state', 'gone'],
    ['/requires_contract', 'yes'],
    ['/visibility', 'PUBLIC'],
    ['/requires_scopes', ['']],
    ['/tenants', []],
  ])('is told of no rule that rests on %s when that cannot be read', (pointer, value) => {
    const read = refusal(edited({ ...threeRules, tenants: ['a'] }, pointer, value)) as string[];
    const resting: Record<string, RegExp> = {
      '/state': /replacement-unexpected/,
      '/requires_contract': /contract-action/,
      '/visibility': /public-capability/,
    };
    const about = resting[pointer] ?? new RegExp(`^${pointer} [a-z]+-[a-z]+`);
    expect(read[0]).toBe('manifest-invalid');
    expect(read.filter((line) => about.test(line))).toEqual([]);
    expect(read.length).toBeGreaterThan(2);
  });
});
