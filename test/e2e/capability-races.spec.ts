import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { jsonRpc } from '../a2a/transports/support/bindings.js';
import { PROCESS_TEST_TIMEOUT } from '../contracts/support/effort.js';
import type { JsonObject } from '../../src/kernel/json.js';
import type { Answer, SpawnedService } from '../support/service.js';
import { outcomeOf } from './support/direct-calls.js';
import { deployment, scripted, type Deployment } from './support/deployment.js';
import { spawnTwoNodes } from './support/nodes.js';
import { Operator } from './support/operator.js';
import { recordedIn } from './support/recorded.js';
import { playing } from './support/script.js';

const AGENT = 'shared';
const ROUNDS = 12;

let deployed: Deployment;
let nodes: readonly [SpawnedService, SpawnedService];
let operator: Operator;

beforeAll(async () => {
  deployed = await deployment({ [AGENT]: [scripted('play')] });
  nodes = await spawnTwoNodes(deployed);
  operator = await Operator.of(nodes[0], AGENT);
}, PROCESS_TEST_TIMEOUT);

afterAll(async () => {
  await Promise.all(nodes.map(async (node) => node.stop()));
  await rm(deployed.folder, { recursive: true, force: true });
});

const manifest = (id: string, more: JsonObject = {}): JsonObject => ({
  ...scripted(id, more),
  agentId: AGENT,
});

async function call(node: SpawnedService, method: string, path: string, body: JsonObject) {
  const { token } = operator;
  return node.call(method, `/v1/capabilities/${AGENT}/${path}`, { token, body });
}

const become = (node: SpawnedService, id: string, body: JsonObject) =>
  call(node, 'POST', `${id}/state`, body);

const restrict = (node: SpawnedService, id: string) =>
  call(node, 'PUT', `${id}?expectedRevision=0`, manifest(id, { visibility: 'internal' }));

const wordOf = ({ status, body }: Answer): string =>
  status === 200 ? 'done' : String(body['code']);

describe('two nodes over one log', () => {
  it.each(['one after the other', 'at once'])(
    'never restrict what a capability was pointed to meanwhile: %s',
    async (how) => {
      const [here, there] = nodes;
      for (let n = 0; n < ROUNDS; n++) {
        const [old, next] = [`old-${how.length}-${n}`, `new-${how.length}-${n}`];
        await operator.register(manifest(old));
        await operator.register(manifest(next));
        const other = n % 3 === 0 ? here : there;
        const state = { state: 'deprecated', replacement: next, expectedRevision: 0 };
        const pointing = become(here, old, state);
        if (how !== 'at once') await pointing;
        const words = [await restrict(other, next), await pointing].map(wordOf);
        expect(words.sort()).toEqual(['done', 'replacement-more-restricted']);
      }
    },
    PROCESS_TEST_TIMEOUT,
  );

  it(
    'run no call that is on record after the removal, and count each that is before it',
    async () => {
      const [here, there] = nodes;
      const token = await here.token({ principal: 'alice', scopes: [] });
      const ran = new Map<string, string>();
      for (let n = 0; n < ROUNDS; n++) {
        const id = `gone-${n}`;
        await operator.register(manifest(id));
        await operator.become(id, { state: 'deprecated' });
        const params = playing(['completed'], { metadata: { skillId: id } });
        const [called, removed] = await Promise.all([
          jsonRpc.call(`${here.url}/a2a/${AGENT}`, 'SendMessage', params, { token }),
          become(n % 2 === 0 ? there : here, id, { state: 'removed', expectedRevision: 1 }),
        ]);
        expect(['done', 'capability-in-use']).toContain(wordOf(removed));
        if (outcomeOf(called) === 'COMPLETED') {
          ran.set(id, wordOf(removed));
        }
        // Whatever came first, the call counts for whoever asks next.
        if (ran.get(id) === 'capability-in-use') {
          const again = await become(there, id, { state: 'removed', expectedRevision: 1 });
          expect(wordOf(again)).toBe('capability-in-use');
        }
      }
      const events = await recordedIn(deployed.folder, 'events.db');
      for (const [id, word] of ran) {
        const admitted = events.findIndex(
          ({ type, data }) => type === 'invocation-admitted' && data['skillId'] === id,
        );
        const removed = events.findIndex(
          ({ stream, data }) =>
            stream === `capability-${AGENT}/${id}` && data['state'] === 'removed',
        );
        expect(admitted).toBeGreaterThan(-1);
        if (word === 'done') expect(admitted).toBeLessThan(removed);
        else expect(removed).toBe(-1);
      }
    },
    PROCESS_TEST_TIMEOUT,
  );
});
