import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Capability } from '../../../src/capabilities/domain/capability.js';
import { directInvokeDeclarations } from '../../../src/capabilities/domain/card-direct-invoke.js';
import {
  extendedSkills,
  hasExtendedSkills,
  publicSkills,
  skillsDigest,
  type CardSkill,
} from '../../../src/capabilities/domain/card-skills.js';
import { entitled } from '../../../src/capabilities/domain/entitlement.js';
import { hashJson } from '../../../src/kernel/digest.js';
import type { SkillId } from '../../../src/kernel/ids.js';
import { RUNS } from '../../support/property-runs.js';
import { byId, capability, partner } from '../support/capabilities.js';
import { someCallers, someCapabilities } from '../support/random-capabilities.js';

const RECON = ['recon.run'];
const lookup = capability('lookup-invoice');
const reconcile = capability('reconcile-invoice', {
  visibility: 'extended',
  requiresScopes: RECON,
});

function ids(skills: readonly CardSkill[]): readonly string[] {
  return skills.map(({ id }) => id);
}

function described(skills: readonly CardSkill[], id: string): string | undefined {
  return skills.find((skill) => skill.id === id)?.description;
}

describe('the skills of a card', () => {
  const registry = byId(
    reconcile,
    lookup,
    capability('tool', { visibility: 'internal' }),
    capability('next', { state: 'preview', optedIn: ['partner-agent'] }),
    capability('gone', { state: 'removed' }),
  );

  it('are for everybody those that are public', () => {
    expect(ids(publicSkills(registry))).toEqual(['lookup-invoice']);
  });

  it('are for a caller those that it may use, in the order of the registry', () => {
    const insider = partner({ scopes: RECON });
    const outsider = partner({ agent: 'other-agent' });
    expect(ids(extendedSkills(registry, insider))).toEqual([
      'reconcile-invoice',
      'lookup-invoice',
      'next',
    ]);
    expect(ids(extendedSkills(registry, outsider))).toEqual(['lookup-invoice']);
  });

  it('say of a capability its skill block and id, and nothing else', () => {
    expect(publicSkills(byId(lookup))).toEqual([
      { id: 'lookup-invoice', ...lookup.manifest.skill },
    ]);
  });

  it('leave out what is empty and not required', () => {
    const bare = capability('bare', { skill: { tags: [], examples: [] } });
    const [skill] = publicSkills(byId(bare));
    expect(skill).toHaveProperty('tags', []);
    expect(skill).not.toHaveProperty('examples');
  });

  it('are exactly what their caller is entitled to', () => {
    fc.assert(
      fc.property(someCapabilities(), someCallers(), (all, callers) => {
        const capabilities = byId(...all);
        const usable = (caller: Parameters<typeof entitled>[1]): readonly SkillId[] =>
          all.filter((each) => entitled(each, caller)).map(({ manifest }) => manifest.id);
        expect(ids(publicSkills(capabilities))).toEqual(usable(null));
        for (const caller of callers) {
          expect(ids(extendedSkills(capabilities, caller))).toEqual(usable(caller));
        }
      }),
      RUNS,
    );
  });
});

describe('a deprecated skill', () => {
  const old = capability('old', { state: 'deprecated', replacement: 'new' as SkillId });

  it('says so and names its replacement', () => {
    const skills = publicSkills(byId(old, capability('new')));
    expect(described(skills, 'old')).toBe('Deprecated: use new instead. Does old.');
  });

  it.each<[why: string, replacement: Capability | undefined]>([
    ['the caller may not use it', capability('new', { visibility: 'extended' })],
    ['it is internal', capability('new', { visibility: 'internal' })],
    ['it is a preview', capability('new', { state: 'preview' })],
    ['it is removed', capability('new', { state: 'removed' })],
    ['it does not exist', undefined],
  ])('does not name a replacement when %s', (_, replacement) => {
    const skills = publicSkills(byId(old, ...(replacement === undefined ? [] : [replacement])));
    expect(described(skills, 'old')).toBe('Deprecated. Does old.');
  });

  it('names it in the card of a caller that may use it', () => {
    const registry = byId(
      old,
      capability('new', { visibility: 'extended', requiresScopes: RECON }),
    );
    const text = (scopes: readonly string[]): string | undefined =>
      described(extendedSkills(registry, partner({ scopes })), 'old');
    expect(text(RECON)).toBe('Deprecated: use new instead. Does old.');
    expect(text([])).toBe('Deprecated. Does old.');
  });

  it('looks as before when a replacement is named that is not deprecated itself', () => {
    const kept = capability('kept', { replacement: 'new' as SkillId });
    expect(described(publicSkills(byId(kept, capability('new'))), 'kept')).toBe('Does kept.');
  });
});

describe('an extended card', () => {
  it.each<[capability: Capability, claimed: boolean]>([
    [capability('a'), false],
    [capability('a', { state: 'deprecated' }), false],
    [capability('a', { visibility: 'internal' }), false],
    [capability('a', { visibility: 'internal', state: 'preview' }), false],
    [capability('a', { visibility: 'extended', state: 'removed' }), false],
    [capability('a', { state: 'removed' }), false],
    [capability('a', { visibility: 'extended' }), true],
    [capability('a', { visibility: 'extended', state: 'deprecated' }), true],
    [capability('a', { visibility: 'extended', state: 'preview' }), true],
    [capability('a', { state: 'preview' }), true],
  ])('has something to show: $manifest.visibility $manifest.state', (each, claimed) => {
    expect(hasExtendedSkills(byId(lookup, each))).toBe(claimed);
  });
});

const DIRECT = {
  inputSchema: { type: 'object' },
  outputSchema: { type: 'object' },
  backend: { type: 'http' },
  allowUnauthenticated: false,
};

/** Of what the public card of these says. */
function digestOf(...capabilities: readonly Capability[]): string {
  const all = byId(...capabilities);
  const skills = publicSkills(all);
  return skillsDigest(
    skills,
    directInvokeDeclarations(all, skills, () => true),
  );
}

describe('the digest of skills', () => {
  it('changes with every word, and with their order', () => {
    const other = capability('other');
    const lists = [
      [],
      [lookup],
      [lookup, other],
      [other, lookup],
      [capability('lookup-invoice', { skill: { examples: [] } })],
      [capability('lookup-invoice', { state: 'deprecated' })],
    ];
    const digests = lists.map((list) => digestOf(...list));
    expect(new Set(digests).size).toBe(lists.length);
  });

  it('does not change with anything that is not in the card', () => {
    const same = capability('lookup-invoice', {
      handler: 'another',
      owner: 'another',
      limits: { max_parts: 3 },
    });
    expect(digestOf(same, reconcile)).toBe(digestOf(lookup));
  });

  it('changes with all that a card says of direct invokes, and with nothing else of them', () => {
    const lists = [
      [lookup],
      [capability('lookup-invoice', { directInvoke: DIRECT })],
      [capability('lookup-invoice', { directInvoke: { ...DIRECT, inputSchema: {} } })],
      [capability('lookup-invoice', { directInvoke: { ...DIRECT, outputSchema: {} } })],
      [capability('lookup-invoice', { directInvoke: { ...DIRECT, backend: {} } })],
    ];
    expect(new Set(lists.map((list) => digestOf(...list))).size).toBe(lists.length);
    const open = { ...DIRECT, allowUnauthenticated: true };
    const hidden = capability('hidden', { visibility: 'extended', directInvoke: open });
    expect(digestOf(capability('lookup-invoice', { directInvoke: open }), hidden)).toBe(
      digestOf(capability('lookup-invoice', { directInvoke: DIRECT })),
    );
  });

  it('is that of the skills alone, as before, where none can be invoked directly', () => {
    expect(digestOf(lookup)).toBe(hashJson(publicSkills(byId(lookup))));
  });
});
