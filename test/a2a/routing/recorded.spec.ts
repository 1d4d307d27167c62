import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { RoutingRecord } from '../../../src/a2a/routing/decision.js';
import { ModelRouter } from '../../../src/a2a/routing/model-router.js';
import type { SendMessageRequest } from '../../../src/a2a/wire/types.js';
import type { Capability } from '../../../src/capabilities/domain/capability.js';
import type { Uuid } from '../../../src/kernel/ids.js';
import { capability } from '../../capabilities/support/capabilities.js';
import { ChatEndpoint, modelSays } from '../support/chat-endpoint.js';
import { message, Messaging, saying } from '../support/messaging.js';

const STATUS = capability('status', { skill: { examples: ['show payment status'] } });
const REFUND = capability('refund', { skill: { examples: ['give money back'] } });
const SCAN = capability('scan', { skill: { inputModes: ['image/png'] } });
const ORDER = capability('order', {
  skill: { inputModes: ['application/json'] },
  directInvoke: {
    inputSchema: { type: 'object', required: ['order'] },
    outputSchema: {},
    backend: {},
    allowUnauthenticated: false,
  },
});
const RECEIPT = capability('receipt', { skill: { inputModes: ['application/json'] } });
const HIDDEN = capability('hidden', {
  visibility: 'extended',
  requiresScopes: ['x'],
  skill: { inputModes: ['text/*'] },
});
const TEXTS = [STATUS, HIDDEN, REFUND];
const BOTH = { skillIds: ['status', 'refund'], total: 2 };

let endpoint: ChatEndpoint;
let messaging: Messaging | undefined;

beforeEach(async () => {
  endpoint = await ChatEndpoint.open();
  endpoint.answer = modelSays({ skill: 'refund', confidence: 0.9 });
});

afterEach(async () => {
  await messaging?.close();
  await endpoint.close();
});

async function recordOf(
  capabilities: readonly Capability[],
  params: SendMessageRequest,
): Promise<RoutingRecord | null | undefined> {
  const { url } = endpoint;
  const config = { url, model: 'm', apiKey: null, timeoutMs: 2000, callsPerMinute: 9 };
  messaging = await Messaging.open({
    capabilities,
    model: new ModelRouter(config, Date.now, () => undefined),
  });
  const { id } = await messaging.taskOf(params);
  return (await messaging.tasks.load(id as Uuid))?.routing;
}

const sure = (skillId: string) => ({ candidates: [{ skillId, confidence: 1 }], confidence: 1 });
const PNG = { raw: 'AA==', mediaType: 'image/png' };

describe('what a task records of its routing', () => {
  it.each<[string, readonly Capability[], SendMessageRequest, object]>([
    [
      'media-type',
      [...TEXTS, SCAN],
      { message: message(PNG) },
      { ...sure('scan'), considered: { skillIds: ['scan'], total: 1 } },
    ],
    [
      'input-schema',
      [ORDER, RECEIPT],
      { message: message({ data: { order: 1 } }) },
      { ...sure('order'), considered: { skillIds: ['order', 'receipt'], total: 2 } },
    ],
    [
      'only-capability',
      [STATUS],
      saying('hello'),
      { ...sure('status'), considered: { skillIds: ['status'], total: 1 } },
    ],
    [
      'preferred-skill',
      TEXTS,
      saying('hello', { metadata: { skillId: 'refund' } }),
      { ...sure('refund'), considered: BOTH },
    ],
    [
      'text-classifier',
      TEXTS,
      saying('show payment status'),
      {
        candidates: [
          { skillId: 'status', confidence: 1 },
          { skillId: 'refund', confidence: 0 },
        ],
        confidence: 1,
        considered: BOTH,
      },
    ],
    [
      'model-router',
      TEXTS,
      saying('money payment status back'),
      { candidates: [{ skillId: 'refund', confidence: 0.9 }], confidence: 0.9, considered: BOTH },
    ],
  ])('of %s', async (layer, capabilities, params, record) => {
    expect(await recordOf(capabilities, params)).toEqual({ layer, ...record });
  });

  it('of a further message', async () => {
    messaging = await Messaging.open({
      capabilities: TEXTS,
      handlers: {
        'handler.refund': async function* () {
          yield { kind: 'input-required' };
        },
      },
    });
    const { id } = await messaging.taskOf(saying('hi', { metadata: { skillId: 'refund' } }));
    await messaging.taskOf(saying('go on', { taskId: id }));
    expect((await messaging.tasks.load(id as Uuid))?.routing).toEqual({
      layer: 'continuing-task',
      ...sure('refund'),
      considered: { skillIds: ['refund'], total: 1 },
    });
  });

  it('of a message without text, about which its sender is asked', async () => {
    const scans = Array.from({ length: 8 }, (_, index) =>
      capability(`scan-${index}`, { skill: { inputModes: ['image/png'] } }),
    );
    expect(await recordOf([HIDDEN, ...scans], { message: message(PNG) })).toEqual({
      layer: 'text-classifier',
      candidates: [],
      confidence: 0,
      considered: { skillIds: ['scan-0', 'scan-1', 'scan-2', 'scan-3', 'scan-4'], total: 8 },
    });
  });
});
