import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { JsonObject } from '../../src/kernel/json.js';
import { BINDINGS, jsonRpc, taskIdOf, type Reply } from '../a2a/transports/support/bindings.js';
import { kindOf, WebhookReceiver, type Received } from '../a2a/tasks/support/webhook-receiver.js';
import { PROCESS_TEST_TIMEOUT } from '../contracts/support/effort.js';
import { aMoment, eventually } from '../support/eventually.js';
import { spawnTestService, type SpawnedService } from '../support/service.js';
import { deployment, scripted } from './support/deployment.js';
import { playing, type Step } from './support/script.js';

const STEPS: readonly Step[] = ['working', { say: '1' }, { say: '2' }, { say: '3' }, 'completed'];
const TOLD = [
  'statusUpdate WORKING',
  'artifactUpdate 1',
  'artifactUpdate 2',
  'artifactUpdate 3',
  'statusUpdate COMPLETED',
];
/** Waits between tries grow from half a second on. */
const PATIENCE_MS = 20_000;

let service: SpawnedService;
let token: string;
const receivers: WebhookReceiver[] = [];

beforeAll(async () => {
  const env = { ALLOW_LOOPBACK_WEBHOOKS: '1' };
  service = await spawnTestService(await deployment({ teller: [scripted('play')] }, env));
  token = await service.token({ principal: 'alice', scopes: [] });
}, PROCESS_TEST_TIMEOUT);

afterEach(async () => {
  for (const receiver of receivers.splice(0)) await receiver.close();
});

afterAll(async () => {
  await service.dispose();
});

async function receive(
  ...parameters: Parameters<typeof WebhookReceiver.open>
): Promise<WebhookReceiver> {
  const receiver = await WebhookReceiver.open(...parameters);
  receivers.push(receiver);
  return receiver;
}

function send(steps: readonly Step[], config: JsonObject, binding = jsonRpc): Promise<Reply> {
  const configuration = { taskPushNotificationConfig: config };
  const params = { ...playing(steps), configuration };
  return binding.call(`${service.url}/a2a/teller`, 'SendMessage', params, { token });
}

const deliveryOf = ({ headers }: Received) => headers['x-countersign-delivery'];

describe('a webhook', () => {
  it.each(BINDINGS)('is told everything in order, once, as it asked ($name)', async (binding) => {
    const receiver = await receive();
    const config = {
      url: receiver.url('/hook'),
      token: 'of-the-client',
      authentication: { scheme: 'Bearer', credentials: 'of-the-receiver' },
    };
    const id = taskIdOf(await send(STEPS, config, binding));
    await eventually(() => receiver.received.length >= TOLD.length, PATIENCE_MS);
    await aMoment(300);
    expect(receiver.received.map(kindOf)).toEqual(TOLD);
    expect(new Set(receiver.received.map(deliveryOf)).size).toBe(TOLD.length);
    for (const { path, headers, body } of receiver.received) {
      expect(path).toBe('/hook');
      expect(headers).toMatchObject({
        'content-type': 'application/a2a+json',
        'a2a-version': '1.0',
        'x-a2a-notification-token': 'of-the-client',
        authorization: 'Bearer of-the-receiver',
      });
      const [told] = Object.values(body as JsonObject) as JsonObject[];
      expect(told?.['taskId']).toBe(id);
    }
  });

  it('is told again what it answered with 500, and nothing else before that', async () => {
    const failing = new Set([1, 3]);
    const receiver = await receive((_, count) => (failing.has(count) ? 500 : 200));
    await send(STEPS, { url: receiver.url() });
    await eventually(() => receiver.received.length >= TOLD.length + 2, PATIENCE_MS);
    await aMoment(300);
    const [first = '', second = '', ...rest] = TOLD;
    expect(receiver.received.map(kindOf)).toEqual([first, first, second, second, ...rest]);
    const ids = receiver.received.map(deliveryOf);
    expect([ids[0], ids[2]]).toEqual([ids[1], ids[3]]);
    expect(new Set(ids).size).toBe(TOLD.length);
  });

  it(
    'is told after a kill of the service what it had not taken by then',
    async () => {
      let isUp = false;
      const receiver = await receive((_, count) => (isUp || count === 1 ? 200 : 503));
      await send(STEPS, { url: receiver.url() });
      await eventually(() => receiver.received.length >= 2, PATIENCE_MS);
      await service.kill();
      const before = receiver.received.splice(0);
      expect(before.slice(0, 2).map(kindOf)).toEqual(TOLD.slice(0, 2));
      isUp = true;
      await service.start();
      await eventually(() => receiver.received.length >= TOLD.length - 1, PATIENCE_MS);
      await aMoment(300);
      expect(receiver.received.map(kindOf)).toEqual(TOLD.slice(1));
      expect(deliveryOf(receiver.received[0]!)).toBe(deliveryOf(before[1]!));
    },
    PROCESS_TEST_TIMEOUT,
  );

  it('that was deleted is told nothing more', async () => {
    const receiver = await receive();
    const taskId = taskIdOf(await send(['input-required'], { id: 'c', url: receiver.url() }));
    await eventually(() => receiver.received.length === 1, PATIENCE_MS);
    const agentUrl = `${service.url}/a2a/teller`;
    const named = { taskId, id: 'c' };
    await jsonRpc.call(agentUrl, 'DeleteTaskPushNotificationConfig', named, { token });
    await jsonRpc.call(agentUrl, 'SendMessage', playing(STEPS, { taskId }), { token });
    await aMoment(600);
    expect(receiver.received.map(kindOf)).toEqual(['statusUpdate INPUT_REQUIRED']);
  });

  it.each([
    'http://192.0.2.1/',
    'http://10.0.0.1/',
    'http://169.254.169.254/latest/meta-data',
    'https://[fd00::1]/',
    'https://[::ffff:10.0.0.1]/',
    'https://0x7f000001.nip.invalid/',
    'ftp://127.0.0.1/',
    'http://user:word@127.0.0.1:8080/',
  ])('is not set for %s, and the message that names it starts nothing', async (url) => {
    const { error } = await send(STEPS, { url });
    expect(error).toMatchObject({ domain: 'countersign.example' });
    expect(error?.reason).toMatch(/^WEBHOOK_/);
    expect(error?.violations).toHaveLength(1);
  });
});
