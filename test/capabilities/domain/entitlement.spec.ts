import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { entitled, entitlement } from '../../../src/capabilities/domain/entitlement.js';
import { RUNS } from '../../support/property-runs.js';
import { capability, partner } from '../support/capabilities.js';
import { someCallers, someCapabilities } from '../support/random-capabilities.js';
import { ENTITLEMENT_MATRIX } from './entitlement-matrix.js';

describe('entitlement', () => {
  it.each(ENTITLEMENT_MATRIX)('$name → $expected', ({ capability: of, caller, expected }) => {
    expect(entitlement(of, caller)).toBe(expected);
    expect(entitled(of, caller)).toBe(expected === 'granted');
  });

  it('is told by the matrix in every way that there is', () => {
    const outcomes = new Set(ENTITLEMENT_MATRIX.map(({ expected }) => expected));
    expect([...outcomes].sort()).toEqual(['granted', 'none', 'removed']);
    const names = ENTITLEMENT_MATRIX.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
  });

  it('of scopes looks at all that the token has, not at those of this service', () => {
    const of = capability('a', { visibility: 'extended', requiresScopes: ['agents:write'] });
    const caller = { ...partner(), scopes: new Set(['agents:write'] as const) };
    expect(entitled(of, caller)).toBe(false);
    expect(entitled(of, { ...caller, allScopes: new Set(['agents:write']) })).toBe(true);
  });

  it('never shrinks when a caller is given more, nor grows when it is asked for more', () => {
    fc.assert(
      fc.property(someCapabilities(), someCallers(), (capabilities, callers) => {
        for (const each of capabilities) {
          for (const caller of callers) {
            const more = { ...caller, allScopes: new Set([...caller.allScopes, 'x']) };
            if (entitlement(each, caller) !== 'none') {
              expect(entitlement(each, more)).toBe(entitlement(each, caller));
            }
            const { manifest } = each;
            const asking = {
              ...each,
              manifest: { ...manifest, requiresScopes: [...manifest.requiresScopes, 'y'] },
            };
            if (manifest.visibility === 'extended')
              expect(entitlement(asking, caller)).toBe('none');
          }
        }
      }),
      RUNS,
    );
  });

  it('without a token is never more than with one that was opted in', () => {
    fc.assert(
      fc.property(someCapabilities(), (capabilities) => {
        for (const each of capabilities) {
          const open = { ...each, optedIn: new Set([partner().agent!]) };
          const everything = partner({
            tenant: each.manifest.tenants === '*' ? 'partner' : each.manifest.tenants[0]!,
            scopes: each.manifest.requiresScopes,
          });
          if (entitlement(each, null) !== 'none') {
            expect(entitlement(open, everything)).toBe(entitlement(each, null));
          }
        }
      }),
      RUNS,
    );
  });
});
