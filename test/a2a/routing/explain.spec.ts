import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ClassifierFeed } from '../../../src/a2a/routing/classifier-feed.js';
import { ExplainBody } from '../../../src/a2a/routing/dto/explain-body.js';
import { RoutingExplanations } from '../../../src/a2a/routing/explanations.js';
import { InputSchemas } from '../../../src/a2a/routing/input-schemas.js';
import { SchemaJudges } from '../../../src/capabilities/queries/schemas/schema-judges.js';
import { MessageRouter } from '../../../src/a2a/routing/message-router.js';
import { ModelRouter } from '../../../src/a2a/routing/model-router.js';
import { RoutingController } from '../../../src/a2a/routing/routing.controller.js';
import { DtoPipe } from '../../../src/http/dto-pipe.js';
import { RejectionException } from '../../../src/http/rejection-exception.js';
import type { Caller, Scope } from '../../../src/kernel/caller.js';
import type { AgentId } from '../../../src/kernel/ids.js';
import type { Rejection } from '../../../src/kernel/rejection.js';
import { capability, FINANCE, partner } from '../../capabilities/support/capabilities.js';
import { MemoryRegistry } from '../support/memory-registry.js';
import { AGENT, Messaging, saying } from '../support/messaging.js';
import { WordClassifier } from '../support/word-classifier.js';

const LOOKUP = capability('lookup', { skill: { examples: ['show payment status'] } });
const RECONCILE = capability('reconcile', {
  visibility: 'extended',
  requiresScopes: ['recon.run'],
  skill: { examples: ['match purchase order'] },
});

/** Nobody's, from one moment to the other. */
const internal = {
  ...RECONCILE,
  manifest: { ...RECONCILE.manifest, visibility: 'internal' },
} as const;

const registry = new MemoryRegistry(FINANCE, LOOKUP, RECONCILE);
const report = (line: string): void => {
  throw new Error(line);
};
const classifier = new ClassifierFeed({
  registry,
  classifier: new WordClassifier(),
  agents: [FINANCE],
  report,
});
/** Nobody answers there: an explanation must not ask. */
const model = new ModelRouter(
  { url: 'http://127.0.0.1:9', model: 'm', apiKey: null, timeoutMs: 100, callsPerMinute: 9 },
  Date.now,
  report,
);
const fits = new InputSchemas(new SchemaJudges()).fits;
const router = new MessageRouter({ classifier, model, fits, threshold: 0.6 });
const OTHER = { ...AGENT, agentId: 'other-agent' as AgentId };
let messaging: Messaging;
let controller: RoutingController;

beforeAll(async () => {
  messaging = await Messaging.open({ capabilities: [LOOKUP, RECONCILE] });
  const explanations = new RoutingExplanations(registry, router, messaging.tasks);
  controller = new RoutingController([AGENT, OTHER], explanations);
});

afterAll(async () => {
  await messaging.close();
});

const pipe = new DtoPipe();

function operator(
  scopes: readonly Scope[] = ['operator:explain'],
  tenant: string = AGENT.tenant,
): Caller {
  return { ...partner({ tenant }), principal: 'operator', scopes: new Set(scopes) };
}

async function explain(body: object, caller: Caller = partner()) {
  const checked = pipe.transform(body, { type: 'body', metatype: ExplainBody }) as ExplainBody;
  return controller.explain(checked, {
    caller,
    correlationId: 'c',
    traceparent: null,
    idempotencyKey: null,
    ifMatch: null,
    ifNoneMatch: null,
    positionToken: null,
  });
}

async function refusalOf(body: object, caller?: Caller): Promise<Rejection> {
  try {
    await explain(body, caller);
  } catch (error) {
    if (error instanceof RejectionException) return error.rejection;
    throw error;
  }
  throw new Error('it was explained');
}

describe('an explanation of routing', () => {
  it('tells the caller what would become of a text of its own', async () => {
    expect(await explain({ agent: FINANCE, text: 'show payment status' })).toMatchObject({
      agent: FINANCE,
      decision: 'routed',
      skillId: 'lookup',
      layer: 'text-classifier',
      confidence: 1,
      refusal: null,
    });
  });

  it('shows nothing that its caller may not use', async () => {
    const explanation = await explain({ agent: FINANCE, text: 'match purchase order' });
    expect(explanation).toMatchObject({ decision: 'clarify', among: ['lookup'] });
    expect(JSON.stringify(explanation)).not.toContain('reconcile');
  });

  it('takes a whole message, with its hint', async () => {
    const message = {
      messageId: 'm',
      role: 'ROLE_USER',
      parts: [{ text: 'anything' }],
      metadata: { skillId: 'lookup' },
    };
    expect(await explain({ agent: FINANCE, message })).toMatchObject({
      decision: 'routed',
      layer: 'preferred-skill',
    });
  });

  it('tells of refusals', async () => {
    const message = { messageId: 'm', role: 'ROLE_USER', parts: [{ raw: 'AA==' }] };
    expect(await explain({ agent: FINANCE, message })).toMatchObject({
      decision: 'refused',
      refusal: { error: 'ContentTypeNotSupported', code: 'input-modes-unmet' },
    });
  });

  it('asks no model', async () => {
    const { steps } = await explain({ agent: FINANCE, text: 'hm' });
    expect(steps.at(-1)).toMatchObject({ layer: 'model-router', outcome: 'passed' });
  });

  it('is about others only for operators', async () => {
    const about = {
      agent: FINANCE,
      text: 'match purchase order',
      caller: { tenant: 'partner', scopes: ['recon.run'] },
    };
    expect(await refusalOf(about)).toMatchObject({ code: 'scope-missing' });
    expect(await refusalOf(about, operator(['operator:read']))).toMatchObject({
      code: 'scope-missing',
    });
    expect(await explain(about, operator())).toMatchObject({
      decision: 'routed',
      skillId: 'reconcile',
    });
    const anonymous = { agent: FINANCE, text: 'match purchase order', anonymous: true };
    expect(await refusalOf(anonymous)).toMatchObject({ code: 'scope-missing' });
    expect(JSON.stringify(await explain(anonymous, operator()))).not.toContain('reconcile');
  });

  it('is about others only for operators of the tenant of the agent', async () => {
    const attacker = operator(['operator:explain'], 'attacker');
    const text = 'match purchase order';
    for (const others of [
      { caller: { tenant: AGENT.tenant, scopes: ['recon.run'] } },
      { caller: { tenant: 'attacker', scopes: ['recon.run'] } },
      { anonymous: true },
    ]) {
      const refusal = await refusalOf({ agent: FINANCE, text, ...others }, attacker);
      expect(refusal).toEqual(await refusalOf({ agent: 'nobody', text, ...others }, attacker));
      expect(refusal).toEqual({ code: 'agent-not-found' });
    }
    const own = await explain({ agent: FINANCE, text }, attacker);
    expect(JSON.stringify(own)).not.toContain('reconcile');
  });

  it.each([
    [{ agent: FINANCE }, '/message'],
    [{ agent: FINANCE, text: '' }, '/text'],
    [{ agent: FINANCE, text: 'x', message: {} }, '/text'],
    [
      { agent: FINANCE, message: { messageId: 'm', role: 'ROLE_USER', parts: [] } },
      '/message/parts',
    ],
    [{ agent: FINANCE, taskId: '' }, '/taskId'],
    [{ agent: FINANCE, taskId: 'x', text: 'x' }, '/text'],
    [{ agent: FINANCE, taskId: 'x', message: {} }, '/message'],
    [{ agent: FINANCE, taskId: 'x', anonymous: true }, '/anonymous'],
    [{ agent: '/', text: 'x' }, '/agent'],
    [{ agent: FINANCE, text: 'x', anonymous: false }, '/anonymous'],
    [{ agent: FINANCE, text: 'x', caller: { tenant: 't', scopes: ['a b'] } }, '/caller/scopes'],
    [{ agent: FINANCE, text: 'x', caller: { tenant: '', scopes: [] } }, '/caller/tenant'],
    [{ agent: FINANCE, text: 'x', more: 1 }, '/more'],
  ])('refuses %j and points at what is wrong', async (body, pointer) => {
    const { code, faults = [] } = await refusalOf(body, operator());
    expect(code).toBe('request-invalid');
    expect(faults.map((fault) => fault.pointer)).toContain(pointer);
  });

  it('knows no agent that is not hosted here', async () => {
    expect(await refusalOf({ agent: 'elsewhere', text: 'x' })).toMatchObject({
      code: 'agent-not-found',
    });
  });
});

describe('an explanation of a task', () => {
  it('is what was recorded on it: for its owner, and for operators of the tenant', async () => {
    const { id: taskId } = await messaging.taskOf(saying('show payment status'));
    const about = { agent: FINANCE, taskId };
    const explanation = await explain(about);
    expect(explanation).toEqual({
      agent: FINANCE,
      decision: 'routed',
      layer: 'text-classifier',
      confidence: 1,
      skillId: 'lookup',
      replacement: null,
      among: [],
      refusal: null,
      steps: [],
      recorded: {
        candidates: [{ skillId: 'lookup', confidence: 1 }],
        considered: ['lookup'],
        total: 1,
      },
    });
    expect(await explain(about, operator())).toEqual(explanation);
  });

  it('tells of a task whose sender is asked', async () => {
    const { id: taskId } = await messaging.taskOf(saying('hm'));
    expect(await explain({ agent: FINANCE, taskId })).toMatchObject({
      decision: 'clarify',
      skillId: null,
      recorded: { considered: ['lookup'], total: 1 },
    });
  });

  it('names no skill that its owner may not use by now', async () => {
    const scoped = partner({ scopes: ['recon.run'] });
    const { id: taskId } = await messaging.taskOf(saying('hm'), scoped);
    const about = { agent: FINANCE, taskId };
    const whole = { considered: ['lookup', 'reconcile'], total: 2 };
    expect(await explain(about, scoped)).toMatchObject({ recorded: whole });
    const shown = await explain(about);
    expect(shown).toMatchObject({ recorded: { considered: ['lookup'], total: 1 } });
    expect(JSON.stringify(shown)).not.toContain('reconcile');
    registry.put(internal);
    expect(JSON.stringify(await explain(about, scoped))).not.toContain('reconcile');
    expect(await explain(about, operator())).toMatchObject({ recorded: whole });
    registry.put(RECONCILE);
  });

  it('is nothing of a task that is bound to such a skill, and stays of one that was removed', async () => {
    const scoped = partner({ scopes: ['recon.run'] });
    const { id: taskId } = await messaging.taskOf(saying('match purchase order'), scoped);
    const about = { agent: FINANCE, taskId };
    expect(await explain(about, scoped)).toMatchObject({ skillId: 'reconcile' });
    expect(await refusalOf(about)).toEqual({ code: 'task-not-found' });
    registry.putHead(internal);
    expect(await refusalOf(about, scoped)).toEqual({ code: 'task-not-found' });
    expect(await explain(about, operator())).toMatchObject({ skillId: 'reconcile' });
    const { manifest } = RECONCILE;
    registry.put({ ...RECONCILE, manifest: { ...manifest, state: 'removed' } });
    expect(await explain(about, scoped)).toMatchObject({ skillId: 'reconcile' });
    registry.put(RECONCILE);
  });

  it('is nothing for anybody else, as for a task that is not', async () => {
    const { id: taskId } = await messaging.taskOf(saying('show payment status'));
    const about = { agent: FINANCE, taskId };
    const unknown = { agent: FINANCE, taskId: '2f0d2c2a-8f5e-4c55-9d0c-6e5d1f1f0a11' };
    for (const [body, caller] of [
      [about, partner({ agent: 'rival-agent' })],
      [about, operator(['operator:read'])],
      [about, operator(['operator:explain'], 'attacker')],
      [{ ...about, agent: OTHER.agentId }, partner()],
      [{ ...about, agent: OTHER.agentId }, operator()],
      [unknown, operator()],
      [{ ...unknown, taskId: '../x' }, operator()],
    ] as const) {
      expect(await refusalOf(body, caller)).toEqual({ code: 'task-not-found' });
    }
  });
});
