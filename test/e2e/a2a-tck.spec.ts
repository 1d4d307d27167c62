import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { JsonObject } from '../../src/kernel/json.js';
import { BINDINGS, jsonRpc, taskIdOf } from '../a2a/transports/support/bindings.js';
import { startTestService, type InProcessService } from '../support/service.js';
import { tckDeployment } from './support/tck-deployment.js';

const state = (of: string): JsonObject => ({ status: { state: `TASK_STATE_${of}` } });
const artifact = (part: JsonObject): JsonObject => ({
  ...state('COMPLETED'),
  artifacts: [{ parts: [part] }],
});
const words = (text: string): JsonObject => ({
  message: { role: 'ROLE_AGENT', parts: [{ text }] },
});

/** What the compatibility kit expects of each beginning of a message id. */
const SCENARIOS: readonly (readonly [prefix: string, answer: JsonObject])[] = [
  [
    'tck-complete-task',
    {
      task: {
        status: { ...(state('COMPLETED')['status'] as JsonObject), ...words('Hello from TCK') },
      },
    },
  ],
  ['tck-artifact-text', { task: artifact({ text: 'Generated text content' }) }],
  [
    'tck-artifact-file',
    { task: artifact({ raw: 'dGNr', filename: 'output.txt', mediaType: 'text/plain' }) },
  ],
  ['tck-artifact-file-url', { task: artifact({ url: 'https://example.com/output.txt' }) }],
  ['tck-artifact-data', { task: artifact({ data: { key: 'value', count: 42 } }) }],
  ['tck-message-response', words('Direct message response')],
  ['tck-input-required', { task: state('INPUT_REQUIRED') }],
  ['tck-reject-task', { task: state('REJECTED') }],
  ['tck-stream-001', { task: artifact({ text: 'Stream hello from TCK' }) }],
  ['tck-stream-002', { task: state('COMPLETED') }],
  ['tck-stream-003', { task: artifact({ text: 'Stream task lifecycle' }) }],
  ['tck-stream-ordering-001', { task: artifact({ text: 'Ordered output' }) }],
  ['tck-stream-artifact-text', { task: artifact({ text: 'Streamed text content' }) }],
  ['tck-stream-artifact-file', { task: artifact({ raw: 'dGNr' }) }],
  ['anything-else', { task: state('COMPLETED') }],
];

const STREAMS: readonly (readonly [prefix: string, words: readonly string[]])[] = [
  ['tck-stream-001', ['task', 'WORKING', 'artifact', 'COMPLETED']],
  ['tck-stream-002', ['task', 'COMPLETED']],
  ['tck-stream-003', ['task', 'WORKING', 'artifact', 'COMPLETED']],
  ['tck-stream-ordering-001', ['task', 'WORKING', 'artifact', 'COMPLETED']],
  ['tck-stream-artifact-text', ['task', 'WORKING', 'artifact', 'COMPLETED']],
  ['tck-stream-artifact-file', ['task', 'WORKING', 'artifact', 'COMPLETED']],
  ['tck-stream-artifact-chunked', ['task', 'WORKING', 'artifact', 'artifact', 'COMPLETED']],
  ['tck-message-response', ['message']],
];

/** As the kit is run: nobody has a token. */
describe('the conformance agent', () => {
  let service: InProcessService;
  let agentUrl: string;
  let count = 0;

  const saying = (prefix: string): JsonObject => ({
    message: {
      messageId: `${prefix}-${String(count++)}`,
      role: 'ROLE_USER',
      parts: [{ text: 'TCK test message' }],
    },
  });

  beforeAll(async () => {
    service = await startTestService(await tckDeployment({ A2A_ANONYMOUS: 'shared' }));
    agentUrl = `${service.url}/a2a/tck`;
  });

  afterAll(async () => {
    await service.dispose();
  });

  it('has a card that claims what the kit runs', async () => {
    const { status, body } = await service.call('GET', '/.well-known/agent-card.json');
    expect(status).toBe(200);
    expect(body['capabilities']).toMatchObject({ streaming: true, pushNotifications: true });
    const interfaces = body['supportedInterfaces'] as readonly JsonObject[];
    expect(interfaces.map(({ protocolBinding }) => protocolBinding).sort()).toEqual([
      'HTTP+JSON',
      'JSONRPC',
    ]);
  });

  describe.each(BINDINGS)('over $name', (binding) => {
    it.each(SCENARIOS)('answers %s', async (prefix, expected) => {
      const { result } = await binding.call(agentUrl, 'SendMessage', saying(prefix));
      expect(result).toMatchObject(expected);
    });

    it.each(STREAMS)('streams %s', async (prefix, expected) => {
      const { events } = await binding.call(agentUrl, 'SendStreamingMessage', saying(prefix));
      expect(events?.map(({ response }) => wordOf(response))).toEqual(expected);
    });

    it('goes on with a task that asked', async () => {
      const asked = await binding.call(agentUrl, 'SendMessage', saying('tck-input-required'));
      const answer = saying('tck-complete-task');
      const taskId = taskIdOf(asked);
      const message = { ...(answer['message'] as JsonObject), taskId };
      const { result } = await binding.call(agentUrl, 'SendMessage', { message });
      expect(result).toMatchObject({ task: { id: taskId, ...state('COMPLETED') } });
    });
  });

  it('works for four seconds on test-resubscribe-message-id, and can be subscribed to meanwhile', async () => {
    const began = performance.now();
    const params = saying('test-resubscribe-message-id');
    const whole = jsonRpc.call(agentUrl, 'SendStreamingMessage', params);
    const first = await jsonRpc.call(agentUrl, 'SendStreamingMessage', params, { take: 1 });
    const id = taskIdOf(first);
    const again = await Promise.all(
      BINDINGS.map((binding) => binding.call(agentUrl, 'SubscribeToTask', { id }, {})),
    );
    expect(performance.now() - began).toBeGreaterThan(3_900);
    for (const { events } of again) {
      expect(events?.[0]?.response).toMatchObject({ task: { id } });
      expect(wordOf(events?.at(-1)?.response ?? {})).toBe('COMPLETED');
    }
    expect((await whole).events?.map(({ response }) => wordOf(response))).toEqual([
      'task',
      'WORKING',
      'COMPLETED',
    ]);
  });
});

function wordOf(response: JsonObject): string {
  const update = response['statusUpdate'] as { status: { state: string } } | undefined;
  if (update !== undefined) return update.status.state.replace('TASK_STATE_', '');
  return (Object.keys(response)[0] ?? '').replace('Update', '');
}
