import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { explanationDocument } from '../../src/a2a/routing/dto/explanation-document.js';
import { RoutingExplanations } from '../../src/a2a/routing/explanations.js';
import type { Part, SendMessageRequest, Task } from '../../src/a2a/wire/types.js';
import type { Capability } from '../../src/capabilities/domain/capability.js';
import { entitlement } from '../../src/capabilities/domain/entitlement.js';
import type { Caller } from '../../src/kernel/caller.js';
import { Messaging, saying } from '../a2a/support/messaging.js';
import { FINANCE } from '../capabilities/support/capabilities.js';
import { ownWords, withOwnWords } from '../capabilities/support/own-words.js';
import { someCallers, someCapabilities } from '../capabilities/support/random-capabilities.js';
import { RUNS } from '../support/property-runs.js';

/** Every run sends some dozens of messages through a real task store. */
const LEAK_RUNS = { ...RUNS, numRuns: Math.ceil(RUNS.numRuns / 5) };

let messaging: Messaging;
let explanations: RoutingExplanations;

beforeAll(async () => {
  messaging = await Messaging.open({ capabilities: [] });
  explanations = new RoutingExplanations(messaging.registry, messaging.router, messaging.tasks);
});

afterAll(async () => {
  await messaging.close();
});

/**
 * All texts of each capability are its own; they share media types, so that messages come to a choice.
 * Scopes stay as they are, so that some callers have them.
 */
const registries = someCapabilities().map((all) =>
  all.map((each) => {
    const worded = withOwnWords(each, ['text/plain']);
    const { requiresScopes } = each.manifest;
    return { ...worded, manifest: { ...worded.manifest, requiresScopes } };
  }),
);

/** Messages by which somebody would try to find out what is there. */
function probes(all: readonly Capability[]): readonly SendMessageRequest[] {
  const picture: Part = { raw: 'AA==', mediaType: 'image/x-other' };
  return [
    saying('hello'),
    saying('', { parts: [picture] }),
    saying('', { parts: [{ text: 'hello' }, { data: { a: 1 } }] }),
    ...all.flatMap(({ manifest: { id, skill } }) => [
      saying(skill.examples.join(' ')),
      saying(skill.name),
      saying('hello', { metadata: { skillId: id } }),
      saying('', { parts: [{ raw: 'AA==', mediaType: skill.inputModes[1] ?? '' }] }),
    ]),
  ];
}

/** Everything that the caller is told about a message, but for what the caller wrote. */
async function toldAbout(params: SendMessageRequest, caller: Caller | null): Promise<string> {
  const sent = await messaging.messages.send(messaging.request(caller), params);
  const { parts, metadata } = params.message;
  const preferredSkill = metadata?.['skillId'] as string | undefined;
  const explanation = await explanations.explain(FINANCE, caller, { parts, preferredSkill });
  const told = [
    sent.ok ? answerOf(sent.value) : sent.error,
    explanationDocument(FINANCE, explanation),
  ];
  return JSON.stringify(told).toLowerCase();
}

/** A task without what makes every task another one. */
function answerOf(answer: object): unknown {
  if (!('task' in answer)) return answer;
  const { status, metadata, artifacts } = (answer as { task: Partial<Task> }).task;
  return [status?.state, status?.message?.parts, metadata, artifacts?.length];
}

/** Words of capabilities that do not exist for the caller; a shown one may name its replacement's id. */
function forbidden(all: readonly Capability[], caller: Caller | null): ReadonlySet<string> {
  const words = new Set<string>();
  for (const each of all) {
    if (entitlement(each, caller) === 'none') for (const word of ownWords(each)) words.add(word);
  }
  // The id of what is there for the caller is no secret, though it stands in hidden manifests, too.
  for (const each of all) {
    if (entitlement(each, caller) !== 'none') words.delete(each.manifest.id.toLowerCase());
  }
  return words;
}

function expectNone(words: ReadonlySet<string>, told: string, params: SendMessageRequest): void {
  // A media type or a hint that was sent is named again to who sent it.
  const sent = JSON.stringify(params).toLowerCase();
  for (const word of words) {
    if (!sent.includes(word)) expect([word, told.includes(word)]).toEqual([word, false]);
  }
}

describe('what a message is answered, and how its routing is explained', () => {
  it('holds no word of what does not exist for its sender', async () => {
    await fc.assert(
      fc.asyncProperty(registries, someCallers(), async (all, callers) => {
        messaging.registry.reset(all);
        for (const caller of [null, ...callers]) {
          const words = forbidden(all, caller);
          for (const params of probes(all)) {
            expectNone(words, await toldAbout(params, caller), params);
          }
        }
      }),
      LEAK_RUNS,
    );
  });

  it('is the same as if internal capabilities were not there', async () => {
    await fc.assert(
      fc.asyncProperty(registries, someCallers(), async (all, callers) => {
        const anybodys = all.filter(({ manifest }) => manifest.visibility !== 'internal');
        for (const caller of [null, ...callers]) {
          for (const params of probes(all)) {
            messaging.registry.reset(all);
            const beside = await toldAbout(anew(params), caller);
            messaging.registry.reset(anybodys);
            expect(beside).toBe(await toldAbout(anew(params), caller));
          }
        }
      }),
      LEAK_RUNS,
    );
  });

  it('would be found out', () => {
    const [hidden] = fc
      .sample(registries, { numRuns: 100, seed: 1 })
      .flatMap((all) => all.filter((each) => entitlement(each, null) === 'none'));
    if (hidden === undefined) throw new Error('nothing is hidden');
    const words = forbidden([hidden], null);
    expect(words.size).toBeGreaterThan(8);
    for (const word of words) {
      expect(() => expectNone(words, `… ${word} …`, saying('hello'))).toThrow();
    }
  });
});

/** The same message under another id. */
function anew(params: SendMessageRequest): SendMessageRequest {
  return { ...params, message: { ...params.message, messageId: saying('').message.messageId } };
}
