import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Capability } from '../../../src/capabilities/domain/capability.js';
import { entitled, entitlement } from '../../../src/capabilities/domain/entitlement.js';
import { isMoreRestricted } from '../../../src/capabilities/domain/replacement.js';
import type { Caller } from '../../../src/kernel/caller.js';
import { RUNS } from '../../support/property-runs.js';
import { capability, partner, type CapabilityChanges } from '../support/capabilities.js';

const SCOPES = ['a', 'b'];
const TENANTS = ['partner', 'rival'];

/** Everybody who can be told apart by what these capabilities ask for. */
const EVERYBODY: readonly (Caller | null)[] = [
  null,
  ...[...TENANTS, 'stranger'].flatMap((tenant) =>
    [[], ['a'], ['b'], ['a', 'b']].map((scopes) => partner({ tenant, scopes })),
  ),
];

function anyOf(id: string, states: readonly Capability['manifest']['state'][]) {
  return fc
    .record({
      state: fc.constantFrom(...states),
      visibility: fc.constantFrom('public', 'extended', 'internal'),
      requiresScopes: fc.subarray(SCOPES),
      tenants: fc.oneof(fc.constant('*' as const), fc.subarray(TENANTS, { minLength: 1 })),
    } as const)
    .map((each) =>
      capability(
        id,
        each.visibility === 'public' ? { ...each, requiresScopes: [], tenants: '*' } : each,
      ),
    );
}

describe('a more restricted replacement', () => {
  it('is exactly one that somebody who may use the predecessor may not use', () => {
    const pair = fc.tuple(
      anyOf('old', ['deprecated', 'removed']),
      anyOf('new', ['preview', 'ga', 'deprecated']),
    );
    fc.assert(
      fc.property(pair, ([old, next]) => {
        const stranded = EVERYBODY.some(
          (caller) => entitlement(old, caller) !== 'none' && !entitled(next, caller),
        );
        expect(isMoreRestricted(next.manifest, old.manifest)).toBe(stranded);
      }),
      { ...RUNS, numRuns: RUNS.numRuns * 5 },
    );
  });

  it('is none after a revision that is no more restricted than what it revises', () => {
    const states = ['preview', 'ga', 'deprecated'] as const;
    const asking = fc.record({
      requiresContract: fc.boolean(),
      callers: fc.constantFrom('initiator' as const, 'any-party' as const),
    });
    const demanding = (id: string, among: readonly Capability['manifest']['state'][]) =>
      fc.tuple(anyOf(id, among), asking).map(([each, asked]) => ({ ...each.manifest, ...asked }));
    const three = fc.tuple(
      demanding('old', ['deprecated', 'removed']),
      demanding('new', states),
      demanding('new', states),
    );
    fc.assert(
      fc.property(three, ([old, before, { state: _, ...changes }]) => {
        const after = { ...before, ...changes };
        fc.pre(!isMoreRestricted(before, old) && !isMoreRestricted(after, before));
        expect(isMoreRestricted(after, old)).toBe(false);
      }),
      RUNS,
    );
  });

  it.each<readonly [boolean, CapabilityChanges, CapabilityChanges]>([
    [true, { requiresContract: true, action: 'x' }, {}],
    [false, {}, { requiresContract: true, action: 'x' }],
    [false, { requiresContract: true, action: 'y' }, { requiresContract: true, action: 'x' }],
    [
      true,
      { requiresContract: true, action: 'x' },
      { requiresContract: true, action: 'x', callers: 'any-party' },
    ],
    [
      false,
      { requiresContract: true, action: 'x', callers: 'any-party' },
      { requiresContract: true, action: 'x' },
    ],
    [true, { state: 'preview' }, { state: 'deprecated' }],
  ])('%j: %j in place of %j', (expected, next, old) => {
    expect(isMoreRestricted(capability('b', next).manifest, capability('a', old).manifest)).toBe(
      expected,
    );
  });
});
