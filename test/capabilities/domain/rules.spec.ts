import { describe, expect, it } from '@jest/globals';
import { MAX_OPTED_IN } from '../../../src/capabilities/domain/decide.js';
import type { DirectInvoke } from '../../../src/capabilities/domain/manifest.js';
import type { SkillId } from '../../../src/kernel/ids.js';
import type { RejectionCode } from '../../../src/kernel/rejection.js';
import { millisecondsOf, timestampOf } from '../../../src/kernel/timestamp.js';
import type { CapabilityChanges } from '../support/capabilities.js';
import {
  become,
  given,
  NOW,
  operator,
  opt,
  other,
  register,
  revise,
} from '../support/given-when-then.js';

const REGISTERED = ['capability-registered'];
const REVISED = ['capability-revised'];
const direct: DirectInvoke = {
  inputSchema: { type: 'object' },
  outputSchema: { type: 'object' },
  backend: { kind: 'function' },
  allowUnauthenticated: false,
};
const open: DirectInvoke = { ...direct, allowUnauthenticated: true };

describe('whose commands are taken', () => {
  const foreigner = operator(['capabilities:write'], 'rival');
  const reader = operator(['capabilities:read', 'operator:read', 'agents:admin']);

  it('the deployment’s own, and those of an operator of the agent’s tenant', () => {
    expect(given().when(register())).toEqual(REGISTERED);
    expect(given().when(register(), { caller: null })).toEqual(REGISTERED);
  });

  it('nobody’s for an agent that is not hosted, or is another tenant’s: both look the same', () => {
    expect(given().when(register(), { agentTenant: null })).toBe('agent-not-hosted');
    expect(given().when(register(), { caller: null, agentTenant: null })).toBe('agent-not-hosted');
    expect(given().when(register(), { caller: foreigner })).toBe('agent-not-hosted');
  });

  it.each([revise({}, 7), become('ga', 7), opt('opt-in'), opt('opt-out')])(
    '$kind of another tenant: the capability does not exist, whatever else is wrong',
    (command) => {
      const absent = 'capability-not-found';
      const removed = given(register({ state: 'deprecated' }), become('removed', 0));
      for (const scene of [given(), given(register()), removed]) {
        expect(scene.when(command, { caller: foreigner })).toBe(absent);
        expect(scene.when(command, { agentTenant: null })).toBe(absent);
      }
    },
  );

  it('not those of a token without the scope', () => {
    expect(given().when(register(), { caller: reader })).toBe('scope-missing');
    const scene = given(register({ state: 'preview' }));
    for (const command of [revise({}, 0), become('ga', 0), opt('opt-in'), opt('opt-out')]) {
      expect(scene.when(command, { caller: reader })).toBe('scope-missing');
    }
  });
});

describe('a manifest whose members contradict each other', () => {
  const contradictions: readonly (readonly [CapabilityChanges, RejectionCode])[] = [
    [{ visibility: 'public', requiresScopes: ['recon.run'] }, 'public-capability-restricted'],
    [{ visibility: 'public', tenants: ['partner'] }, 'public-capability-restricted'],
    [{ requiresContract: true }, 'contract-action-missing'],
    [{ requiresContract: true, action: 'a', directInvoke: open }, 'unauthenticated-with-contract'],
    [{ replacement: 'v2' as SkillId }, 'replacement-unexpected'],
    [{ state: 'preview', replacement: 'v2' as SkillId }, 'replacement-unexpected'],
  ];

  it.each(contradictions)('%j is not registered: %s', (changes, code) => {
    expect(given().when(register(changes), { replacements: [other('v2')] })).toBe(code);
  });

  it.each(contradictions.slice(0, 4))('%j is no revision either: %s', (changes, code) => {
    expect(given(register()).when(revise(changes, 0))).toBe(code);
  });

  it.each<CapabilityChanges>([
    { visibility: 'public' },
    { visibility: 'internal', requiresScopes: ['x'], tenants: ['partner'] },
    { requiresContract: true, action: 'a', directInvoke: direct },
    { action: 'a' },
    { visibility: 'public', directInvoke: open },
  ])('%j does not contradict itself', (changes) => {
    expect(given().when(register(changes))).toEqual(REGISTERED);
  });

  it('does not begin as a tombstone', () => {
    expect(given().when(register({ state: 'removed' }))).toBe('lifecycle-transition-invalid');
  });
});

describe('the meaning of a released id', () => {
  const before: CapabilityChanges = {
    skill: { inputModes: ['text/plain', 'application/pdf'] },
    directInvoke: direct,
  };

  it.each<readonly [string, CapabilityChanges]>([
    ['an input mode more', { skill: { inputModes: ['text/plain', 'application/pdf', 'image/*'] } }],
    ['an input mode less', { skill: { inputModes: ['text/plain'] } }],
    ['another output mode', { skill: { outputModes: ['text/csv'] } }],
    ['another input schema', { directInvoke: { ...direct, inputSchema: { type: 'array' } } }],
    ['another output schema', { directInvoke: { ...direct, outputSchema: {} } }],
    ['no schemas any more', { directInvoke: null }],
  ])('does not change: %s', (_, changes) => {
    const skill = { ...before.skill, ...changes.skill };
    const command = revise({ ...before, ...changes, skill }, 0);
    expect(given(register(before)).when(command)).toBe('capability-meaning-changed');
    const preview = given(register({ ...before, state: 'preview' }));
    const inPreview = revise({ ...before, ...changes, skill, state: 'preview' }, 0);
    expect(preview.when(inPreview)).toEqual(REVISED);
  });

  it.each<readonly [string, CapabilityChanges]>([
    ['modes in another order', { skill: { inputModes: ['application/pdf', 'text/plain'] } }],
    ['texts', { skill: { ...before.skill, description: 'Better told.', examples: ['x'] } }],
    ['visibility', { visibility: 'internal' }],
    ['scopes and tenants', { requiresScopes: ['a'], tenants: ['partner'] }],
    ['the handler', { handler: 'recon.v4' }],
    ['the backend', { directInvoke: { ...direct, backend: { kind: 'queue' } } }],
  ])('is not told by %s', (_, changes) => {
    const command = revise({ ...before, ...changes }, 0);
    expect(given(register(before)).when(command)).toEqual(REVISED);
  });

  it('is not told by schemas where there were none', () => {
    expect(given(register()).when(revise({ directInvoke: direct }, 0))).toEqual(REVISED);
  });
});

describe('a revision', () => {
  it('of nothing is no event', () => {
    expect(given(register()).when(revise({}, 0))).toEqual([]);
  });

  it('does not move the capability on', () => {
    const scene = given(register({ state: 'deprecated' }));
    const code = 'state-changes-separately';
    expect(scene.when(revise({ state: 'ga' }, 0))).toBe(code);
    const repointed = revise({ state: 'deprecated', replacement: 'v2' as SkillId }, 0);
    expect(scene.when(repointed, { replacements: [other('v2')] })).toBe(code);
  });

  it('does not strand the callers of what it replaces', () => {
    const old = other('old', { state: 'deprecated', replacement: 'reconcile-invoice' as SkillId });
    const scene = given(register());
    const around = { predecessors: [old] };
    const code = 'replacement-more-restricted';
    expect(scene.when(revise({ visibility: 'internal' }, 0), around)).toBe(code);
    expect(scene.when(revise({ requiresScopes: ['more'] }, 0), around)).toBe(code);
    expect(scene.when(revise({ owner: 'others' }, 0), around)).toEqual(REVISED);
    expect(scene.when(revise({ visibility: 'public' }, 0), around)).toEqual(REVISED);
  });

  it('does not open a deprecated one to callers whom its replacement turns away', () => {
    const v2 = other('v2', { requiresScopes: ['a'] });
    const old: CapabilityChanges = {
      state: 'deprecated',
      requiresScopes: ['a'],
      replacement: v2.manifest.id,
    };
    const around = { replacements: [v2] };
    const scene = given([register(old), around]);
    expect(scene.when(revise({ ...old, requiresScopes: [] }, 0), around)).toBe(
      'replacement-more-restricted',
    );
    expect(scene.when(revise({ ...old, requiresScopes: ['a', 'b'] }, 0), around)).toEqual(REVISED);
  });
});

describe('a replacement', () => {
  const v2 = 'v2' as SkillId;
  const deprecate = become('deprecated', 0, { replacement: v2 });

  it('is there, not removed, and leads nowhere back', () => {
    const scene = given(register());
    expect(scene.when(deprecate, { replacements: [other('v2')] })).toEqual([
      'capability-state-changed',
    ]);
    expect(scene.when(deprecate)).toBe('replacement-not-found');
    const removed = [other('v2', { state: 'removed' })];
    expect(scene.when(deprecate, { replacements: removed })).toBe('replacement-removed');
    const itself = become('deprecated', 0, { replacement: 'reconcile-invoice' as SkillId });
    expect(scene.when(itself)).toBe('replacement-circular');
    const circle = [
      other('v2', { state: 'deprecated', replacement: 'v3' as SkillId }),
      other('v3', { state: 'deprecated', replacement: 'reconcile-invoice' as SkillId }),
    ];
    expect(scene.when(deprecate, { replacements: circle })).toBe('replacement-circular');
  });

  it('may be deprecated itself', () => {
    const chain = [other('v2', { state: 'deprecated', replacement: 'v3' as SkillId }), other('v3')];
    expect(given(register()).when(deprecate, { replacements: chain })).toEqual([
      'capability-state-changed',
    ]);
  });

  it('is not named before the capability is deprecated', () => {
    const early = become('ga', 0, { replacement: v2 });
    const scene = given(register({ state: 'preview' }));
    expect(scene.when(early, { replacements: [other('v2')] })).toBe('replacement-unexpected');
  });

  it('is judged when a deprecated capability is registered, too', () => {
    const command = register({ state: 'deprecated', replacement: v2 });
    expect(given().when(command)).toBe('replacement-not-found');
    expect(given().when(command, { replacements: [other('v2')] })).toEqual(REGISTERED);
  });

  it('is not more restricted', () => {
    const restricted = [other('v2', { visibility: 'internal' })];
    expect(given(register()).when(deprecate, { replacements: restricted })).toBe(
      'replacement-more-restricted',
    );
  });
});

describe('a removal', () => {
  const DAY = 24 * 60 * 60 * 1000;
  const ago = (ms: number) => timestampOf(millisecondsOf(NOW) - ms);
  const scene = given(register({ state: 'deprecated' }));
  const reason = 'it leaks';

  it.each([
    [0, 'capability-in-use'],
    [30 * DAY, 'capability-in-use'],
    [30 * DAY + 1, ['capability-state-changed']],
    [-DAY, 'capability-in-use'],
  ])('%d ms after the last call: %j', (ms, expected) => {
    expect(scene.when(become('removed', 0), { lastCall: ago(ms) })).toEqual(expected);
  });

  it('is forced with a reason only', () => {
    const lastCall = ago(DAY);
    const inUse = 'capability-in-use';
    expect(scene.when(become('removed', 0, { force: true }), { lastCall })).toBe(inUse);
    expect(scene.when(become('removed', 0, { reason }), { lastCall })).toBe(inUse);
    const [event] = scene.events(become('removed', 0, { force: true, reason }), { lastCall });
    expect(event).toMatchObject({ data: { forced: true }, texts: { reason } });
  });

  it('is not called forced when nobody had called', () => {
    const [event] = scene.events(become('removed', 0, { force: true, reason }));
    expect(event).toMatchObject({ data: { forced: false } });
  });

  it('alone asks for usage', () => {
    expect(given(register()).when(become('deprecated', 0), { lastCall: NOW })).toEqual([
      'capability-state-changed',
    ]);
  });
});

describe('a preview', () => {
  it('is open to a bounded number of callers', () => {
    const everybody = Array.from({ length: MAX_OPTED_IN }, (_, i) => opt('opt-in', `agent-${i}`));
    const scene = given(register({ state: 'preview' }), ...everybody);
    expect(scene.when(opt('opt-in', 'one-more'))).toBe('too-many-opt-ins');
    expect(scene.when(opt('opt-in', 'agent-7'))).toEqual([]);
    expect(scene.when(opt('opt-out', 'agent-7'))).toEqual(['caller-opted-out']);
  });
});
