import { describe, expect, it } from '@jest/globals';
import { CapabilityAdvice } from '../../src/a2a/capability-advice.js';
import { ClassifierAdvice } from '../../src/a2a/routing/classifier-advice.js';
import { ClassifierFeed } from '../../src/a2a/routing/classifier-feed.js';
import type { Capability } from '../../src/capabilities/domain/capability.js';
import type { AgentId, SkillId } from '../../src/kernel/ids.js';
import { capability, FINANCE } from '../capabilities/support/capabilities.js';
import { MemoryRegistry } from './support/memory-registry.js';
import { WordClassifier } from './support/word-classifier.js';

const HERE = capability('here');
const GONE = capability('gone');

const direct = { inputSchema: {}, outputSchema: {}, backend: {}, allowUnauthenticated: false };
const BOUND = capability('bound', {
  directInvoke: direct,
  skill: { outputModes: ['text/plain', 'application/json'] },
});
const DATA_ALONE = capability('data-alone', {
  handler: BOUND.manifest.handler,
  directInvoke: direct,
  skill: { inputModes: ['application/json'] },
});
const UNBOUND = capability('unbound', { directInvoke: direct });

function advising(
  classifier = new WordClassifier(),
  ...more: readonly Capability[]
): CapabilityAdvice {
  const registry = new MemoryRegistry(
    FINANCE,
    HERE,
    GONE,
    capability('preview', { state: 'preview' }),
    capability('deprecated', { state: 'deprecated' }),
    capability('removed', { state: 'removed' }),
    capability('internal', { visibility: 'internal' }),
    ...more,
  );
  const report = (line: string): void => {
    throw new Error(line);
  };
  const feed = new ClassifierFeed({ registry, classifier, agents: [FINANCE], report });
  const handlers = {
    get: (_agentId: AgentId, name: string) =>
      name === HERE.manifest.handler ? { handle: async function* () {} } : undefined,
  };
  const backends = {
    summaryOf: (_agentId: AgentId, name: string) =>
      name === BOUND.manifest.handler ? {} : undefined,
  };
  return new CapabilityAdvice(registry, handlers, backends, new ClassifierAdvice(feed));
}

const id = (text: string): SkillId => text as SkillId;

describe('advice on a capability', () => {
  it('tells that this process has no handler of the name', async () => {
    const advice = advising();
    expect(await advice.warningsFor(FINANCE, id('gone'))).toEqual([
      { code: 'handler-absent', detail: expect.stringContaining('handler.gone') },
    ]);
    for (const fine of ['here', 'removed', 'internal']) {
      expect(await advice.warningsFor(FINANCE, id(fine))).toEqual([]);
    }
  });

  it('tells that no backend is bound where direct invocations are offered', async () => {
    const advice = advising(new WordClassifier(), BOUND, DATA_ALONE, UNBOUND);
    expect(await advice.warningsFor(FINANCE, id('bound'))).toEqual([
      { code: 'handler-absent', detail: expect.stringContaining('(data-unfit)') },
      { code: 'output-not-data', detail: expect.stringContaining(' text/plain,') },
    ]);
    expect(await advice.warningsFor(FINANCE, id('data-alone'))).toEqual([]);
    expect(await advice.warningsFor(FINANCE, id('unbound'))).toEqual([
      { code: 'handler-absent', detail: expect.stringContaining('handler.unbound') },
      { code: 'backend-absent', detail: expect.stringContaining('handler.unbound') },
    ]);
  });

  it('tells what the classifier thinks besides', async () => {
    const classifier = new WordClassifier();
    classifier.warningsOf.push({ code: 'few-examples', skillId: id('gone'), examples: 1 });
    const found = await advising(classifier).warningsFor(FINANCE, id('gone'));
    expect(found.map(({ code }) => code)).toEqual(['handler-absent', 'few-examples']);
  });
});

describe('a survey of an agent', () => {
  it('tells everything of all capabilities, handlers at once', async () => {
    let learnt: () => void = () => undefined;
    class Slow extends WordClassifier {
      override async learn(...skills: Parameters<WordClassifier['learn']>): Promise<void> {
        await super.learn(...skills);
        await new Promise<void>((resolve) => (learnt = resolve));
      }
    }
    const classifier = new Slow();
    classifier.warningsOf.push(
      { code: 'few-examples', skillId: id('here'), examples: 1 },
      { code: 'skills-overlap', skillId: id('gone'), with: id('here'), confusions: 2 },
    );
    const survey = advising(classifier).survey(FINANCE);
    const told: string[] = [];
    for await (const { skillId, code } of survey) {
      told.push(`${skillId} ${code}`);
      // What comes next waits for the classifier.
      if (told.length === 3) setImmediate(() => learnt());
    }
    expect(told).toEqual([
      'gone handler-absent',
      'preview handler-absent',
      'deprecated handler-absent',
      'here few-examples',
      'gone skills-overlap',
    ]);
  });
});
