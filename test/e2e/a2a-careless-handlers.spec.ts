import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Task, TaskArtifactUpdate } from '../../src/a2a/wire/types.js';
import { parseStrictJson } from '../../src/kernel/strict-json.js';
import { jsonRpc, saying, taskIdOf } from '../a2a/transports/support/bindings.js';
import { startTestService, type InProcessService } from '../support/service.js';
import { deployment, scripted } from './support/deployment.js';

const HANDLERS = fileURLToPath(new URL('./support/careless-agent.ts', import.meta.url));
const AGENT = 'studio';

let service: InProcessService;
let token: string;

beforeAll(async () => {
  const manifests = [scripted('careless', { handler: 'e2e.careless' })];
  service = await startTestService(
    await deployment({ [AGENT]: manifests }, {}, { handlers: [HANDLERS] }),
  );
  token = await service.token({ principal: 'alice', tenant: 'partner', scopes: [] });
});

afterAll(async () => {
  await service.dispose();
});

const agentUrl = (): string => `${service.url}/a2a/${AGENT}`;

async function taskOf(id: string): Promise<Task> {
  const { result, text } = await jsonRpc.call(agentUrl(), 'GetTask', { id }, { token });
  expect(parseStrictJson(Buffer.from(text)).ok).toBe(true);
  return result as unknown as Task;
}

describe('a handler that goes on working at what it gave or was given', () => {
  it('has said what it said then, in the stream as in the task', async () => {
    const reply = await jsonRpc.call(agentUrl(), 'SendStreamingMessage', saying('reuses'), {
      token,
    });
    const { events = [] } = reply;
    const streamed = events.flatMap(({ response }) => {
      const { artifactUpdate } = response as { artifactUpdate?: TaskArtifactUpdate };
      return artifactUpdate?.artifact.parts.map(({ text }) => text) ?? [];
    });
    expect(streamed).toEqual(['one', 'two', 'three', 'four']);
    const { artifacts } = await taskOf(taskIdOf(reply));
    expect(artifacts?.[0]?.parts.map(({ text }) => text)).toEqual(streamed);
  });

  it('leaves the message as it was sent, which is known when it is sent again', async () => {
    const params = saying('changes-message');
    const sent = await jsonRpc.call(agentUrl(), 'SendMessage', params, { token });
    const { history, status } = await taskOf(taskIdOf(sent));
    expect(status.state).toBe('TASK_STATE_COMPLETED');
    expect(history?.[0]?.parts).toEqual([{ text: 'changes-message' }]);
    const again = await jsonRpc.call(agentUrl(), 'SendMessage', params, { token });
    expect(taskIdOf(again)).toBe(taskIdOf(sent));
  });

  it('closes its capability to nobody', async () => {
    await jsonRpc.call(agentUrl(), 'SendMessage', saying('changes-limits'), { token });
    const next = await jsonRpc.call(agentUrl(), 'SendMessage', saying('changes-message'), {
      token,
    });
    expect(next.error).toBeUndefined();
  });
});

describe.each(['bigint', 'function', 'nan', 'number', 'half-an-emoji'])(
  'a handler that says what is none of A2A’s parts (%s)',
  (how) => {
    it('fails at once, after all that it said before', async () => {
      const params = saying(how);
      const { error } = await jsonRpc.call(agentUrl(), 'SendMessage', params, { token });
      expect(error).toMatchObject({ reason: 'INVALID_AGENT_RESPONSE' });
      const again = await jsonRpc.call(agentUrl(), 'SendMessage', params, { token });
      const { status, artifacts } = await taskOf(taskIdOf(again));
      expect(status.state).toBe('TASK_STATE_FAILED');
      expect(artifacts).toEqual([{ artifactId: 'log', parts: [{ text: 'said before' }] }]);
    });

    it('ends its stream so', async () => {
      const params = saying(how);
      const { events = [] } = await jsonRpc.call(agentUrl(), 'SendStreamingMessage', params, {
        token,
      });
      expect(events.at(-1)?.response).toMatchObject({
        statusUpdate: { status: { state: 'TASK_STATE_FAILED' } },
      });
    });
  },
);
