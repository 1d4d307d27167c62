import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { CapabilityCommand } from '../../../src/capabilities/domain/commands.js';
import { capabilityDecider } from '../../../src/capabilities/domain/decider.js';
import type { CapabilityEvent } from '../../../src/capabilities/domain/events.js';
import type { CapabilityState } from '../../../src/capabilities/domain/evolve.js';
import { manifestDocument } from '../../../src/capabilities/domain/manifest-document.js';
import { manifestRefusal } from '../../../src/capabilities/domain/manifest-rules.js';
import { sameMeaning } from '../../../src/capabilities/domain/meaning.js';
import { parseManifest } from '../../../src/capabilities/domain/parse-manifest.js';
import { isMoreRestricted } from '../../../src/capabilities/domain/replacement.js';
import { fold, type Recorded } from '../../../src/kernel/event.js';
import type { SkillId } from '../../../src/kernel/ids.js';
import { RUNS } from '../../support/property-runs.js';
import { FINANCE, type CapabilityChanges } from '../support/capabilities.js';
import {
  become,
  NOW,
  operator,
  opt,
  other,
  register,
  revise,
  TENANT,
} from '../support/given-when-then.js';

const V2 = other('v2', { requiresScopes: ['a'] });
const STATES = ['preview', 'ga', 'deprecated', 'removed'] as const;
const ORDER: readonly string[] = STATES;

const someChanges: fc.Arbitrary<CapabilityChanges> = fc.record({
  state: fc.constantFrom(...STATES),
  visibility: fc.constantFrom('public', 'extended', 'internal'),
  requiresScopes: fc.subarray(['a', 'b']),
  tenants: fc.constantFrom<'*' | readonly string[]>('*', ['partner']),
  requiresContract: fc.boolean(),
  action: fc.constantFrom(null, 'act'),
  replacement: fc.constantFrom(null, V2.manifest.id, 'nothing' as SkillId),
  skill: fc.record({ inputModes: fc.subarray(['text/plain', 'image/*'], { minLength: 1 }) }),
});

/** Commands that know the revision that they are written against, mostly. */
const someCommand: fc.Arbitrary<(revision: number) => CapabilityCommand> = fc.oneof(
  someChanges.map((changes) => () => register(changes)),
  fc.tuple(someChanges, fc.constantFrom(0, 0, 0, 1)).map(
    ([changes, off]) =>
      (revision: number) =>
        revise(changes, revision + off),
  ),
  fc
    .record({
      state: fc.constantFrom(...STATES),
      replacement: fc.constantFrom(null, null, V2.manifest.id, 'nothing' as SkillId),
      force: fc.boolean(),
      reason: fc.constantFrom(undefined, 'because'),
    })
    .map(
      ({ state, ...more }) =>
        (revision: number) =>
          become(state, revision, more),
    ),
  fc.tuple(fc.constantFrom('opt-in' as const, 'opt-out' as const), fc.constantFrom('x', 'y')).map(
    ([kind, agent]) =>
      () =>
        opt(kind, agent),
  ),
);

interface Step {
  readonly before: CapabilityState;
  readonly after: CapabilityState;
  readonly events: readonly Recorded<CapabilityEvent>[];
}

/** What a history of commands comes to, refusals left out. */
function live(commands: readonly ((revision: number) => CapabilityCommand)[]): readonly Step[] {
  const steps: Step[] = [];
  let state: CapabilityState = null;
  for (const make of commands) {
    const before: CapabilityState = state;
    const command = make(before?.revision ?? -1);
    const replacement =
      'manifest' in command
        ? command.manifest.replacement
        : 'replacement' in command && command.replacement;
    const decision = capabilityDecider.decide(before, command, {
      now: NOW,
      caller: operator(),
      agentTenant: TENANT,
      replacements: replacement === V2.manifest.id ? [V2] : [],
      predecessors: [],
      lastCall: NOW,
      backendSummary: null,
    });
    if (!decision.ok) continue;
    const events = decision.value.map((event, index): Recorded<CapabilityEvent> => ({
      ...event,
      recordedAt: NOW,
      revision: (before?.revision ?? -1) + 1 + index,
    }));
    state = fold<CapabilityState, CapabilityEvent>(capabilityDecider.evolve, before, events);
    steps.push({ before, after: state, events });
  }
  return steps;
}

const someLife = fc.array(someCommand, { minLength: 5, maxLength: 40 }).map(live);

function always(law: (step: Step) => void): void {
  fc.assert(
    fc.property(someLife, (steps) => {
      steps.forEach(law);
    }),
    RUNS,
  );
}

describe('whatever commands come', () => {
  it('life never goes back, and ends for ever', () => {
    always(({ before, after, events }) => {
      if (before === null) return;
      const [from, to] = [before.manifest.state, after!.manifest.state];
      expect(ORDER.indexOf(to) - ORDER.indexOf(from)).toBeGreaterThanOrEqual(0);
      expect(ORDER.indexOf(to) - ORDER.indexOf(from)).toBeLessThanOrEqual(1);
      if (from === 'removed') expect(events).toEqual([]);
    });
  });

  it('the manifest contradicts itself never, and its document reads back', () => {
    always(({ after }) => {
      expect(manifestRefusal(after!.manifest)).toBeUndefined();
      expect(parseManifest(manifestDocument(after!.manifest), FINANCE)).toEqual({
        ok: true,
        value: after!.manifest,
      });
    });
  });

  it('a released id keeps its meaning', () => {
    always(({ before, after }) => {
      if (before === null || before.manifest.state === 'preview') return;
      expect(sameMeaning(before.manifest, after!.manifest)).toBe(true);
    });
  });

  it('nobody is pointed to what they could not use', () => {
    always(({ after }) => {
      const { manifest } = after!;
      if (manifest.replacement === null) return;
      expect(manifest.replacement).toBe(V2.manifest.id);
      expect(isMoreRestricted(V2.manifest, manifest)).toBe(false);
    });
  });

  it('what was called today is removed with a reason only', () => {
    always(({ events }) => {
      for (const event of events) {
        if (event.type !== 'capability-state-changed' || event.data.state !== 'removed') continue;
        expect(event.data.forced).toBe(true);
        expect(event.data.reasonHash).not.toBeNull();
      }
    });
  });

  it('only previews are opened and closed to callers', () => {
    always(({ before, events }) => {
      for (const { type } of events) {
        if (type !== 'caller-opted-in' && type !== 'caller-opted-out') continue;
        expect(before?.manifest.state).toBe('preview');
      }
    });
  });

  it('lives reach every state, so that the laws are about something', () => {
    const reached = new Set<string>();
    fc.assert(
      fc.property(someLife, (steps) => {
        for (const { after } of steps) reached.add(after!.manifest.state);
      }),
      { ...RUNS, numRuns: 1000 },
    );
    expect([...reached].sort()).toEqual([...STATES].sort());
  });
});
