import { describe, expect, it } from '@jest/globals';
import { ClassifierFeed } from '../../../src/a2a/routing/classifier-feed.js';
import type { RoutingDecision } from '../../../src/a2a/routing/decision.js';
import { InputSchemas } from '../../../src/a2a/routing/input-schemas.js';
import { SchemaJudges } from '../../../src/capabilities/queries/schemas/schema-judges.js';
import { MessageRouter } from '../../../src/a2a/routing/message-router.js';
import type { RoutingStep } from '../../../src/a2a/routing/routing-step.js';
import type { RoutingSubject } from '../../../src/a2a/routing/routing-subject.js';
import type { Part } from '../../../src/a2a/wire/types.js';
import type { Capability } from '../../../src/capabilities/domain/capability.js';
import type { JsonObject } from '../../../src/kernel/json.js';
import { capability, FINANCE, partner } from '../../capabilities/support/capabilities.js';
import { MemoryRegistry } from '../support/memory-registry.js';
import { WordClassifier } from '../support/word-classifier.js';

interface Routed {
  readonly decision: RoutingDecision | undefined;
  readonly refusal: string | undefined;
  readonly asked: number;
  readonly steps: readonly RoutingStep[];
}

async function route(
  capabilities: readonly Capability[],
  parts: readonly Part[],
  more: Partial<RoutingSubject> = {},
): Promise<Routed> {
  const registry = new MemoryRegistry(FINANCE, ...capabilities);
  const words = new WordClassifier();
  const classifier = new ClassifierFeed({
    registry,
    classifier: words,
    agents: [FINANCE],
    report: (line) => {
      throw new Error(line);
    },
  });
  const fits = new InputSchemas(new SchemaJudges()).fits;
  const router = new MessageRouter({ classifier, model: null, fits, threshold: 0.6 });
  const steps: RoutingStep[] = [];
  const routed = await router.route(
    {
      capabilities: registry.of(FINANCE),
      caller: partner(),
      parts,
      preferredSkill: undefined,
      answer: '',
      signal: new AbortController().signal,
      ...more,
    },
    (step) => steps.push(step()),
  );
  return {
    decision: routed.ok ? routed.value : undefined,
    refusal: routed.ok ? undefined : routed.error.error,
    asked: words.asked.length,
    steps,
  };
}

const PDF: Part = { raw: '', mediaType: 'application/pdf' };
const TEXT: Part = { text: 'nothing in particular' };

function taking(id: string, inputModes: readonly string[], more = {}): Capability {
  return capability(id, { skill: { inputModes }, ...more });
}

function withSchema(id: string, inputSchema: JsonObject, more = {}): Capability {
  return capability(id, {
    skill: { inputModes: ['application/json'] },
    directInvoke: { inputSchema, outputSchema: {}, backend: {}, allowUnauthenticated: false },
    ...more,
  });
}

/** What a stranger may write as long as a message is. */
const spelled = (member: string): JsonObject => ({
  type: 'object',
  required: [member],
  properties: { [member]: {}, note: { type: 'string', pattern: '^[A-Za-z0-9 .,-]*$' } },
});

const numbered = (member: string): JsonObject => ({
  type: 'object',
  required: [member],
  properties: { [member]: { type: 'integer' } },
  additionalProperties: false,
});

describe('media types', () => {
  const modest = taking('modest', ['text/plain']);
  const versatile = taking('versatile', ['text/plain', 'application/pdf']);

  it('decide when one of several capabilities takes the parts', async () => {
    const { decision, asked } = await route([modest, versatile], [PDF, TEXT]);
    expect(decision).toMatchObject({
      kind: 'routed',
      skillId: 'versatile',
      record: { layer: 'media-type', confidence: 1 },
    });
    expect(asked).toBe(0);
  });

  it('refuse what none takes', async () => {
    const { refusal } = await route([modest, versatile], [{ raw: '', mediaType: 'image/png' }]);
    expect(refusal).toBe('ContentTypeNotSupported');
  });

  it('decide nothing when others take the parts that are hidden from the caller', async () => {
    const hidden = taking('hidden', ['application/pdf', 'text/plain'], {
      visibility: 'extended',
      requiresScopes: ['x'],
    });
    const { decision } = await route([modest, versatile, hidden], [PDF, TEXT]);
    expect(decision).toMatchObject({ kind: 'clarify', among: ['versatile'] });
  });

  it('decide as if internal capabilities were not', async () => {
    const internal = taking('internal', ['application/pdf'], { visibility: 'internal' });
    const without = await route([modest, versatile], [PDF]);
    const beside = await route([modest, versatile, internal], [PDF]);
    expect(beside.decision).toMatchObject({ kind: 'routed', skillId: 'versatile' });
    expect([beside.decision, beside.steps]).toEqual([without.decision, without.steps]);
  });

  it('lead to a removed capability, too', async () => {
    const gone = taking('gone', ['application/pdf'], { state: 'removed' });
    const { decision } = await route([modest, gone], [PDF]);
    expect(decision).toMatchObject({ kind: 'removed', skillId: 'gone', replacement: null });
  });
});

describe('the only capability', () => {
  const only = taking('only', ['text/plain']);

  it('of an agent is meant, whatever the text says', async () => {
    const { decision, asked } = await route([only], [TEXT]);
    expect(decision).toMatchObject({
      kind: 'routed',
      skillId: 'only',
      record: { layer: 'only-capability' },
    });
    expect(asked).toBe(0);
  });

  it('beside internal ones is meant like one that is alone', async () => {
    const internal = capability('refund', {
      visibility: 'internal',
      skill: { examples: ['give money back'] },
    });
    const { decision, asked, steps } = await route([only, internal], [{ text: 'give money back' }]);
    expect(decision).toMatchObject({ skillId: 'only', record: { layer: 'only-capability' } });
    expect(asked).toBe(0);
    expect(steps).toEqual((await route([only], [{ text: 'give money back' }])).steps);
  });

  it('that a caller may use is meant when the text agrees, and not otherwise', async () => {
    const lookup = capability('lookup', { skill: { examples: ['show payment status'] } });
    const hidden = capability('refund', {
      visibility: 'extended',
      requiresScopes: ['x'],
      skill: { examples: ['give money back'] },
    });
    const agreeing = await route([lookup, hidden], [{ text: 'show payment status' }]);
    expect(agreeing.decision).toMatchObject({
      kind: 'routed',
      skillId: 'lookup',
      record: { layer: 'text-classifier' },
    });
    const foreign = await route([lookup, hidden], [{ text: 'give money back' }]);
    expect(foreign.decision).toMatchObject({ kind: 'clarify', among: ['lookup'] });
  });
});

describe('the shape of a data part', () => {
  const invoice = withSchema('invoice', numbered('invoice'));
  const order = withSchema('order', numbered('order'));

  it('decides when it fits exactly one input schema', async () => {
    const { decision } = await route([invoice, order], [{ data: { order: 7 } }]);
    expect(decision).toMatchObject({
      kind: 'routed',
      skillId: 'order',
      record: { layer: 'input-schema', candidates: [{ skillId: 'order', confidence: 1 }] },
    });
  });

  it.each<[string, readonly Part[]]>([
    ['fits none', [{ data: { receipt: 7 } }]],
    ['is null', [{ data: null }]],
    ['speaks for two of them', [{ data: { order: 7 } }, { data: { invoice: 7 } }]],
    [
      'comes with more than are looked at',
      Array.from({ length: 9 }, (_, index) => ({
        data: { [index === 8 ? 'invoice' : 'order']: 7 },
      })),
    ],
  ])('decides nothing when it %s', async (_, parts) => {
    const { decision } = await route([invoice, order], parts);
    expect(decision?.kind).toBe('clarify');
  });

  it('decides nothing when it fits several', async () => {
    const double = withSchema('double', numbered('order'));
    const { decision } = await route([invoice, order, double], [{ data: { order: 7 } }]);
    expect(decision?.kind).toBe('clarify');
  });

  const restricted = { visibility: 'extended', requiresScopes: ['wipe'] };

  it('decides nothing when it fits one that is hidden from the caller, too', async () => {
    const spy = withSchema('spy', numbered('order'));
    const wipe = withSchema('wipe-link', numbered('order'), restricted);
    const parts = [{ data: { order: 7 } }];
    const beside = await route([spy, wipe], parts);
    expect(beside.decision).toMatchObject({
      kind: 'clarify',
      among: ['spy'],
      record: { candidates: [], considered: { skillIds: ['spy'], total: 1 } },
    });
    expect(JSON.stringify([beside.decision, beside.steps])).not.toContain('wipe');
    // Nor for whoever may use both.
    const caller = partner({ scopes: ['wipe'] });
    expect((await route([spy, wipe], parts, { caller })).decision?.kind).toBe('clarify');
    // Its name says which of them is meant.
    const hinted = await route([spy, wipe], parts, { preferredSkill: 'spy' });
    expect(hinted.decision).toMatchObject({ skillId: 'spy', record: { layer: 'preferred-skill' } });
  });

  it.each([
    ['takes other data', withSchema('other', numbered('receipt'), restricted)],
    [
      'takes other media types',
      withSchema('other', numbered('order'), {
        ...restricted,
        skill: { inputModes: ['text/plain'] },
      }),
    ],
    ['is removed', withSchema('other', numbered('order'), { ...restricted, state: 'removed' })],
  ])('decides when what is hidden from the caller %s', async (_, hidden) => {
    const { decision } = await route([invoice, order, hidden], [{ data: { order: 7 } }]);
    expect(decision).toMatchObject({ skillId: 'order', record: { layer: 'input-schema' } });
  });

  it('decides nothing of a removed capability either when a hidden one takes the same', async () => {
    const gone = withSchema('gone', numbered('order'), { state: 'removed' });
    const hidden = withSchema('hidden', numbered('order'), restricted);
    const { decision } = await route([invoice, gone, hidden], [{ data: { order: 7 } }]);
    expect(decision?.kind).toBe('clarify');
  });

  it('is not compared with the schemas of internal capabilities', async () => {
    const hidden = withSchema('hidden', numbered('order'), { visibility: 'internal' });
    const { decision } = await route([invoice, order, hidden], [{ data: { order: 7 } }]);
    expect(decision).toMatchObject({ kind: 'routed', skillId: 'order' });
  });

  it('is for the successor, where a removed capability took the very same', async () => {
    const gone = withSchema('gone', numbered('order'), { state: 'removed', replacement: 'order' });
    const { decision } = await route([invoice, order, gone], [{ data: { order: 7 } }]);
    expect(decision).toMatchObject({ kind: 'routed', skillId: 'order' });
  });

  it('asserts formats, and survives schemas that cannot be compiled or followed', async () => {
    const dated = withSchema('dated', { type: 'string', format: 'date' });
    const broken = withSchema('broken', { type: 'no such type' });
    const circular = withSchema('circular', { $ref: '#' });
    const all = [dated, broken, circular, invoice];
    expect((await route(all, [{ data: '2030-02-28' }])).decision).toMatchObject({
      kind: 'routed',
      skillId: 'dated',
    });
    expect((await route(all, [{ data: '2030-02-30' }])).decision?.kind).toBe('clarify');
  });
});

describe('a preferred skill', () => {
  const two = [taking('first', ['text/plain']), taking('second', ['text/plain'])];

  it('is believed when it is a candidate', async () => {
    const { decision } = await route(two, [TEXT], { preferredSkill: 'second' });
    expect(decision).toMatchObject({
      kind: 'routed',
      skillId: 'second',
      record: { layer: 'preferred-skill' },
    });
  });

  it.each(['hidden', 'unknown', '__proto__', ''])(
    'is nothing when it is %j, whatever that is',
    async (preferredSkill) => {
      const hidden = taking('hidden', ['text/plain'], { visibility: 'internal' });
      const all = [...two, hidden];
      const without = await route(all, [TEXT]);
      const hinted = await route(all, [TEXT], { preferredSkill });
      expect(hinted.decision).toEqual(without.decision);
      expect(hinted.steps).toEqual(without.steps);
    },
  );

  it('is nothing when it does not take the parts', async () => {
    const pdf = taking('pdf', ['application/pdf']);
    const { decision } = await route([...two, pdf], [TEXT], { preferredSkill: 'pdf' });
    expect(decision?.kind).toBe('clarify');
  });
});

describe('texts', () => {
  const status = capability('status', { skill: { examples: ['show payment status'] } });
  const refund = capability('refund', { skill: { examples: ['give money back'] } });

  it('decide when they are sure enough, and say how sure', async () => {
    const { decision } = await route([status, refund], [{ text: 'give me my money' }]);
    expect(decision).toMatchObject({
      kind: 'routed',
      skillId: 'refund',
      record: { layer: 'text-classifier', confidence: 1 },
    });
  });

  it('are asked about when they are not, the likeliest first', async () => {
    const { decision } = await route([status, refund], [{ text: 'money payment status back' }]);
    expect(decision).toMatchObject({ kind: 'clarify', among: ['status', 'refund'] });
  });

  it('lead to a removed capability rather than to its neighbour', async () => {
    const gone = capability('refund', {
      state: 'removed',
      skill: { examples: ['give money back'] },
    });
    const { decision } = await route([status, gone], [{ text: 'give money back' }]);
    expect(decision).toMatchObject({ kind: 'removed', skillId: 'refund' });
    expect(decision?.record.candidates).toEqual([{ skillId: 'status', confidence: 0 }]);
  });

  it('in doubt between a capability and what it replaced are for the likelier of the two', async () => {
    const old = capability('old', {
      state: 'removed',
      replacement: refund.manifest.id,
      skill: { examples: ['give money back'] },
    });
    const { decision } = await route([status, old, refund], [{ text: 'refund: give money back' }]);
    expect(decision).toMatchObject({
      kind: 'routed',
      skillId: 'refund',
      record: { confidence: 1 },
    });
  });

  it('in doubt between a capability and what is to replace it are asked about: both still work', async () => {
    const old = capability('old', {
      state: 'deprecated',
      replacement: refund.manifest.id,
      skill: { examples: ['give money back'] },
    });
    const { decision } = await route([status, old, refund], [{ text: 'give money back' }]);
    expect(decision).toMatchObject({ kind: 'clarify', among: ['old', 'refund', 'status'] });
  });

  it('of any number name at most five skills', async () => {
    const many = Array.from({ length: 30 }, (_, index) => capability(`skill-${index}`));
    const { decision } = await route(many, [TEXT]);
    expect(decision?.kind === 'clarify' && decision.among).toHaveLength(5);
  });
});

describe('an explanation', () => {
  it('tells of every layer that was asked, and of nothing that is hidden', async () => {
    const hidden = capability('hidden', { visibility: 'internal' });
    const gone = capability('gone', { state: 'removed' });
    const { steps } = await route([capability('a'), capability('b'), gone, hidden], [TEXT]);
    expect(steps.map(({ layer, outcome }) => `${layer} ${outcome}`)).toEqual([
      'entitlement narrowed',
      'media-type narrowed',
      'media-type passed',
      'input-schema passed',
      'only-capability passed',
      'preferred-skill passed',
      'text-classifier passed',
    ]);
    expect(steps[0]?.candidates.map(({ skillId }) => skillId)).toEqual(['a', 'b', 'gone']);
    expect(JSON.stringify(steps)).not.toContain('hidden');
  });
});

describe('data that is long to compare', () => {
  const ids = Array.from({ length: 200 }, (_, n) => `takes-${String(n)}`);
  const skills = ids.map((id) => withSchema(id, spelled(id)));
  const names = Object.fromEntries(ids.slice(0, -1).map((id) => [id, 1]));
  const parts = (note: string): readonly Part[] =>
    Array.from({ length: 8 }, () => ({ data: { ...names, note } }));

  it('says nothing, and takes no more of the thread than so many steps', async () => {
    const [short, long] = [parts('a'), parts('a'.repeat(60_000))];
    await route(skills, short);
    const began = performance.now();
    const { decision } = await route(skills, long);
    // It took half a minute.
    expect(performance.now() - began).toBeLessThan(5_000);
    expect(decision?.record.layer).not.toBe('input-schema');
  });

  it('still speaks for the one that takes it, where there are few', async () => {
    const [only] = skills;
    const note = 'a'.repeat(10_000);
    const { decision } = await route(
      [only!, withSchema('other', numbered('other'))],
      [{ data: { 'takes-0': 1, note } }],
    );
    expect(decision?.record.layer).toBe('input-schema');
  });
});
