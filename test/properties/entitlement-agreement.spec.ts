import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Capability } from '../../src/capabilities/domain/capability.js';
import { extendedSkills, publicSkills } from '../../src/capabilities/domain/card-skills.js';
import type { Caller } from '../../src/kernel/caller.js';
import { Messaging, saying } from '../a2a/support/messaging.js';
import { byId, capability } from '../capabilities/support/capabilities.js';
import { someCallers, someCapabilities } from '../capabilities/support/random-capabilities.js';
import { ENTITLEMENT_MATRIX } from '../capabilities/domain/entitlement-matrix.js';
import { RUNS } from '../support/property-runs.js';

/** Every run sends some dozens of messages through a real task store. */
const AGREEMENT_RUNS = { ...RUNS, numRuns: Math.ceil(RUNS.numRuns / 5) };

let messaging: Messaging;

beforeAll(async () => {
  messaging = await Messaging.open({ capabilities: [] });
});

afterAll(async () => {
  await messaging.close();
});

/** A neighbour that everybody may use, so that no layer but the hint decides. */
const NEIGHBOUR = capability('neighbour');

interface Answers {
  readonly card: boolean;
  readonly route: boolean;
  readonly execute: boolean;
  /** The router is made to believe that everybody may use everything. */
  readonly executeFooled: boolean;
}

/** Asks card, router and execution about one capability of a registry. */
async function answersFor(
  registry: readonly Capability[],
  asked: Capability,
  caller: Caller | null,
): Promise<Answers> {
  const { id } = asked.manifest;
  const all = byId(...registry);
  const skills = caller === null ? publicSkills(all) : extendedSkills(all, caller);
  messaging.registry.reset(registry);
  const routed = await messaging.router.route({
    capabilities: messaging.registry.of(asked.manifest.agentId),
    caller,
    parts: [{ text: 'hello' }],
    preferredSkill: id,
    answer: '',
    signal: new AbortController().signal,
  });
  const execute = await ran(id, caller);
  messaging.registry.reset(registry, registry.map(open));
  const executeFooled = await ran(id, caller);
  return {
    card: skills.some((skill) => skill.id === id),
    route: routed.ok && routed.value.kind === 'routed' && routed.value.skillId === id,
    execute,
    executeFooled,
  };
}

/** Does the handler of the skill run, when the caller asks for nothing else? */
async function ran(skillId: string, caller: Caller | null): Promise<boolean> {
  const before = messaging.calls.length;
  const params = saying('hello', { metadata: { skillId } });
  await messaging.messages.send(messaging.request(caller), params);
  return messaging.calls.slice(before).some(({ grant }) => grant.manifest.id === skillId);
}

function open(each: Capability): Capability {
  return { ...each, manifest: { ...each.manifest, state: 'ga', visibility: 'public' } };
}

describe('card, router and execution', () => {
  it.each(ENTITLEMENT_MATRIX)('say the same: $name → $expected', async (row) => {
    const granted = row.expected === 'granted';
    expect(await answersFor([row.capability, NEIGHBOUR], row.capability, row.caller)).toMatchObject(
      { card: granted, route: granted, execute: granted, executeFooled: granted },
    );
  });

  it('say the same of any registry and any caller', async () => {
    await fc.assert(
      fc.asyncProperty(someCapabilities(), someCallers(), async (capabilities, callers) => {
        const registry = [...capabilities, NEIGHBOUR];
        for (const caller of [null, ...callers]) {
          for (const asked of capabilities) {
            const { card, route, execute, executeFooled } = await answersFor(
              registry,
              asked,
              caller,
            );
            expect([route, execute, executeFooled]).toEqual([card, card, card]);
          }
        }
      }),
      AGREEMENT_RUNS,
    );
  });

  it('leave no word of a hidden capability in an answer', async () => {
    const names = { name: 'Zyxwv', description: 'Qponm.', tags: ['Lkjih'], examples: ['Gfedc'] };
    const hidden = capability('hidden-id', {
      visibility: 'extended',
      requiresScopes: ['scope-zyxwv'],
      handler: 'handler-zyxwv',
      owner: 'owner-zyxwv',
      skill: {
        ...names,
        inputModes: ['text/plain', 'image/x-zyxwv'],
        outputModes: ['image/y-zyxwv'],
      },
    });
    messaging.registry.reset([hidden, NEIGHBOUR]);
    for (const text of ['Gfedc', 'Zyxwv Qponm', 'hello']) {
      expect(await wordsToStranger(text)).not.toMatch(/Zyxwv|Qponm|Lkjih|Gfedc|hidden-id|-zyxwv/);
    }
  });
});

/** All that is said to somebody without a token about this text, and about files beside it. */
async function wordsToStranger(text: string): Promise<string> {
  const params = [
    saying(text),
    saying(text, { parts: [{ raw: 'AA==', mediaType: 'image/x-other' }] }),
    saying(text, { parts: [{ text }, { raw: 'AA==', mediaType: 'application/x-other' }] }),
  ];
  const words = await Promise.all(
    params.map(async (each) => {
      const sent = await messaging.messages.send(messaging.request(null), each);
      if (!sent.ok) return JSON.stringify(sent.error);
      return JSON.stringify('task' in sent.value ? sent.value.task.status : sent.value);
    }),
  );
  return words.join('\n');
}
