import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ModelRouter } from '../../../src/a2a/routing/model-router.js';
import type { Uuid } from '../../../src/kernel/ids.js';
import { capability, partner } from '../../capabilities/support/capabilities.js';
import { ChatEndpoint, modelSays, type ChatAnswer } from '../support/chat-endpoint.js';
import { Messaging, saying } from '../support/messaging.js';

const STATUS = capability('status', { skill: { examples: ['show payment status'] } });
const REFUND = capability('refund', { skill: { examples: ['give money back'] } });
const RECONCILE = capability('reconcile', {
  visibility: 'extended',
  requiresScopes: ['recon.run'],
  skill: { name: 'Reconcile', examples: ['match purchase order'] },
});
const PREVIEW = capability('preview', { state: 'preview', skill: { name: 'Unripe' } });
const INTERNAL = capability('internal', { visibility: 'internal', skill: { name: 'Secret' } });

let endpoint: ChatEndpoint;
let messaging: Messaging;
let reports: string[];

beforeEach(async () => {
  endpoint = await ChatEndpoint.open();
  reports = [];
  const { url } = endpoint;
  messaging = await Messaging.open({
    capabilities: [STATUS, REFUND, RECONCILE, PREVIEW, INTERNAL],
    model: new ModelRouter(
      { url, model: 'small', apiKey: null, timeoutMs: 300, callsPerMinute: 10 },
      Date.now,
      (line) => reports.push(line),
    ),
  });
});

afterEach(async () => {
  await messaging.close();
  await endpoint.close();
});

/** A text that the classifier is not sure about. */
const UNCLEAR = 'money payment status back';

describe('when the classifier is not sure', () => {
  it('the model chooses', async () => {
    endpoint.answer = modelSays({ skill: 'refund', confidence: 0.9 });
    const task = await messaging.taskOf(saying(UNCLEAR));
    expect(task.status.state).toBe('TASK_STATE_COMPLETED');
    expect(messaging.calls[0]?.grant.manifest.id).toBe('refund');
    expect((await messaging.tasks.load(task.id as Uuid))?.routing).toMatchObject({
      layer: 'model-router',
      confidence: 0.9,
      candidates: [{ skillId: 'refund', confidence: 0.9 }],
    });
  });

  it('the model is not asked about what is clear', async () => {
    await messaging.taskOf(saying('show payment status'));
    expect(endpoint.requests).toHaveLength(0);
  });

  it('the model is not asked about what is meant for a capability that the caller may not use', async () => {
    endpoint.answer = modelSays({ skill: 'refund', confidence: 1 });
    const task = await messaging.taskOf(saying('match purchase order'));
    expect(task.status.state).toBe('TASK_STATE_INPUT_REQUIRED');
    expect(endpoint.requests).toHaveLength(0);
    expect(messaging.calls).toHaveLength(0);
    expect((await messaging.tasks.load(task.id as Uuid))?.routing?.layer).toBe('text-classifier');
    await messaging.taskOf(saying('match purchase order'), partner({ scopes: ['recon.run'] }));
    expect(messaging.calls[0]?.grant.manifest.id).toBe('reconcile');
  });

  it.each<[string, ChatAnswer]>([
    ['fails', { status: 500, body: '{}' }],
    ['does not answer in time', { silent: true }],
    ['names what was not offered', modelSays({ skill: 'reconcile', confidence: 1 })],
    ['finds that nothing fits', modelSays({ skill: 'none', confidence: 1 })],
    ['is not sure either', modelSays({ skill: 'refund', confidence: 0.3 })],
  ])('the caller is asked where the model %s', async (_, answer) => {
    endpoint.answer = answer;
    const task = await messaging.taskOf(saying(UNCLEAR));
    expect(endpoint.requests).toHaveLength(1);
    expect(task.status.state).toBe('TASK_STATE_INPUT_REQUIRED');
    expect(JSON.stringify(task.status)).not.toContain('econcile');
    expect(messaging.calls).toHaveLength(0);
    expect((await messaging.tasks.load(task.id as Uuid))?.routing?.layer).toBe('model-router');
  });

  it('the model sees what the caller may use, and nothing else', async () => {
    endpoint.answer = modelSays({ skill: 'none', confidence: 1 });
    const offered = () => {
      const body = JSON.parse(endpoint.requests.at(-1)?.body ?? '{}');
      return body.response_format.json_schema.schema.properties.skill.enum.toSorted();
    };
    await messaging.taskOf(saying(UNCLEAR));
    expect(offered()).toEqual(['none', 'refund', 'status']);
    expect(endpoint.requests[0]?.body).not.toMatch(/econcile|nripe|ecret/);
    await messaging.taskOf(saying(UNCLEAR), partner({ scopes: ['recon.run'] }));
    expect(offered()).toEqual(['none', 'reconcile', 'refund', 'status']);
    expect(endpoint.requests[1]?.body).not.toMatch(/nripe|ecret/);
  });
});
