import { afterEach, describe, expect, it } from '@jest/globals';
import { ClassifierAdvice } from '../../../src/a2a/routing/classifier-advice.js';
import { ClassifierFeed } from '../../../src/a2a/routing/classifier-feed.js';
import type { SkillId } from '../../../src/kernel/ids.js';
import { capability, FINANCE } from '../../capabilities/support/capabilities.js';
import { eventually } from '../../support/eventually.js';
import { MemoryRegistry } from '../support/memory-registry.js';
import { WordClassifier } from '../support/word-classifier.js';

const STATUS = capability('status', { skill: { examples: ['show payment status'] } });
const id = (text: string): SkillId => text as SkillId;

let feed: ClassifierFeed;
let registry: MemoryRegistry;
let classifier: WordClassifier;
let reports: string[];

function feeding(given: WordClassifier = new WordClassifier()): void {
  reports = [];
  classifier = given;
  registry = new MemoryRegistry(FINANCE, STATUS);
  feed = new ClassifierFeed({
    registry,
    classifier,
    agents: [FINANCE],
    report: (line) => reports.push(line),
  });
}

const ask = (text: string, ...candidates: readonly string[]) =>
  feed.classify(registry.of(FINANCE), text, candidates.map(id), null);

afterEach(() => {
  feed.onModuleDestroy();
});

describe('the feed of the text classifier', () => {
  it('teaches it the skills of an agent before the first question, and once', async () => {
    feeding();
    expect((await ask('payment status', 'status')).ranked[0]).toMatchObject({ confidence: 1 });
    await ask('payment status', 'status');
    expect(classifier.learnt).toBe(1);
  });

  it('teaches it hidden and removed skills, too, so that it knows what is none of the candidates', async () => {
    feeding();
    registry.put(
      capability('refund', { visibility: 'extended', skill: { examples: ['give money back'] } }),
    );
    registry.put(capability('old', { state: 'removed', skill: { examples: ['print receipt'] } }));
    expect((await ask('give money back', 'status')).foreign).toBe(true);
    expect((await ask('print receipt', 'status')).foreign).toBe(true);
  });

  it('teaches it no internal skill, since no text of a caller is about one', async () => {
    feeding();
    registry.put(
      capability('refund', { visibility: 'internal', skill: { examples: ['give money back'] } }),
    );
    expect((await ask('give money back', 'status')).foreign).toBe(false);
  });

  it('notices a new manifest within a second, without being asked', async () => {
    feeding();
    feed.onApplicationBootstrap();
    await eventually(() => classifier.learnt === 1);
    registry.put(capability('refund'));
    const begun = performance.now();
    await eventually(() => classifier.learnt === 2);
    expect(performance.now() - begun).toBeLessThan(1000);
  });

  it('waits for a fit, but not for ever', async () => {
    class Slow extends WordClassifier {
      override async learn(...skills: Parameters<WordClassifier['learn']>): Promise<void> {
        await super.learn(...skills);
        await new Promise(() => undefined);
      }
    }
    feeding(new Slow());
    const begun = performance.now();
    expect((await ask('payment status', 'status')).ranked).toHaveLength(1);
    expect(performance.now() - begun).toBeGreaterThan(900);
  });

  it('makes a text unsure when the classifier fails', async () => {
    class Broken extends WordClassifier {
      override async classify(): Promise<never> {
        throw new Error('its worker is gone');
      }
    }
    feeding(new Broken());
    expect(await ask('payment status', 'status')).toEqual({ ranked: [], foreign: false });
    expect(reports).toEqual(['the text classifier failed']);
  });

  it('asks with what was learnt before when it cannot learn', async () => {
    class Forgetful extends WordClassifier {
      override async learn(): Promise<void> {
        throw new Error('no memory');
      }
    }
    feeding(new Forgetful());
    expect((await ask('payment status', 'status')).ranked).toEqual([]);
    expect(reports).toEqual(['the text classifier cannot learn']);
  });
});

describe('advice on a new capability', () => {
  it('tells of few examples, and of skills that are hard to tell apart from it', async () => {
    feeding();
    classifier.warningsOf.push(
      { code: 'few-examples', skillId: id('status'), examples: 1 },
      { code: 'few-examples', skillId: id('other'), examples: 0 },
      { code: 'skills-overlap', skillId: id('other'), with: id('status'), confusions: 2 },
      { code: 'skills-overlap', skillId: id('other'), with: id('third'), confusions: 2 },
    );
    const advice = await new ClassifierAdvice(feed).warningsFor(FINANCE, id('status'));
    expect(advice.map(({ code }) => code)).toEqual(['few-examples', 'skills-overlap']);
    expect(advice[1]?.detail).toContain('other');
  });

  it('tells that there are too many, whichever is new, and once of all of them', async () => {
    feeding();
    classifier.warningsOf.push({ code: 'too-many-texts', texts: 2_403, most: 2_400 });
    const advice = new ClassifierAdvice(feed);
    const told = { code: 'too-many-texts', detail: expect.stringContaining('2403') };
    expect(await advice.warningsFor(FINANCE, id('status'))).toEqual([told]);
    expect(await advice.survey(FINANCE)).toEqual([{ skillId: null, ...told }]);
  });

  it('waits until the registry has the capability, and the classifier learnt it', async () => {
    feeding();
    classifier.warningsOf.push({ code: 'few-examples', skillId: id('late'), examples: 0 });
    setTimeout(() => registry.put(capability('late')), 60);
    expect(await new ClassifierAdvice(feed).warningsFor(FINANCE, id('late'))).toHaveLength(1);
    expect(registry.of(FINANCE).all.has(id('late'))).toBe(true);
    expect(classifier.learnt).toBe(1);
  });

  it('is silent when the capability never comes, or the classifier fails', async () => {
    feeding();
    expect(await new ClassifierAdvice(feed).warningsFor(FINANCE, id('never'))).toEqual([]);
    classifier.warnings = async () => {
      throw new Error('its worker is gone');
    };
    expect(await new ClassifierAdvice(feed).warningsFor(FINANCE, id('status'))).toEqual([]);
    expect(reports).toHaveLength(1);
  });
});
