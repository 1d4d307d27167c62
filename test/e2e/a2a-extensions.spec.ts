import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { JsonObject } from '../../src/kernel/json.js';
import { BINDINGS, type Ask } from '../a2a/transports/support/bindings.js';
import { startTestService, type InProcessService } from '../support/service.js';
import { deployment, scripted } from './support/deployment.js';
import { recordedIn } from './support/recorded.js';
import { playing } from './support/script.js';

/** Under which messages would name contracts, once those are checked. */
const TRUST = 'https://countersign.example/extensions/trust/v1';
const CLAIM = { interactionId: '2f0d2c2a-8f5e-4c55-9d0c-6e5d1f1f0a11', termsHash: 'x' };

let service: InProcessService;
let token: string;

beforeAll(async () => {
  service = await startTestService(await deployment({ player: [scripted('play')] }));
  token = await service.token({ principal: 'alice', scopes: [] });
});

afterAll(async () => {
  await service.dispose();
});

/** How many streams there are: of tasks, of invocations, of anything. */
const counted = async () => {
  const events = await recordedIn(service.folder, 'events.db');
  const tasks = await recordedIn(service.folder, 'tasks.db');
  return new Set([...events, ...tasks].map(({ stream }) => stream)).size;
};

/** A message with something more in it. */
function playingWith(more: JsonObject): JsonObject {
  const params = playing(['completed']);
  return { ...params, message: { ...(params['message'] as JsonObject), ...more } };
}

it('the card declares no extension that is not honoured', async () => {
  const { body } = await service.call('GET', '/a2a/player/.well-known/agent-card.json');
  expect(body['capabilities']).not.toHaveProperty('extensions');
});

describe.each(BINDINGS)('over $name', (binding) => {
  const asking = (extensions: string | undefined): Ask => ({
    token,
    ...(extensions === undefined ? {} : { headers: { 'a2a-extensions': extensions } }),
  });
  const url = () => `${service.url}/a2a/player`;

  it('the trust extension is not activated, and the message is as any other', async () => {
    const reply = await binding.call(url(), 'SendMessage', playing(['completed']), asking(TRUST));
    expect(reply.error).toBeUndefined();
    expect(reply.headers.has('a2a-extensions')).toBe(false);
  });

  it.each([
    ['in the metadata of the message', playingWith({ metadata: { [TRUST]: CLAIM } })],
    ['as nothing', playingWith({ metadata: { [TRUST]: null } })],
    ['in the metadata of the request', { ...playing(['completed']), metadata: { [TRUST]: CLAIM } }],
    ['among the extensions of the message', playingWith({ extensions: [TRUST] })],
  ])('a message that names a contract %s is refused, and leaves nothing', async (_, params) => {
    const before = await counted();
    for (const operation of ['SendMessage', 'SendStreamingMessage'] as const) {
      for (const extensions of [undefined, TRUST]) {
        const { error, headers } = await binding.call(url(), operation, params, asking(extensions));
        expect(error).toMatchObject({
          reason: 'CONTRACT_NOT_CHECKED',
          code: binding.name === 'JSON-RPC' ? -32602 : 'INVALID_ARGUMENT',
        });
        expect(headers.has('a2a-extensions')).toBe(false);
      }
    }
    expect(await counted()).toEqual(before);
  });
});
