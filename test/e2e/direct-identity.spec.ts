import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { JsonObject } from '../../src/kernel/json.js';
import { BINDINGS, type Reply } from '../a2a/transports/support/bindings.js';
import { startTestService, type InProcessService } from '../support/service.js';
import { CALCULATOR, calculatorDeployment } from './support/calculator.js';
import { AgentClient, dataOf, outcomeOf } from './support/direct-calls.js';
import { playing } from './support/script.js';

/** In the letters of the RFC: nothing of ours is to change it. */
const RFC_URI = 'https://example.com/a2a/extensions/skill-direct-invoke/v1';
const OWN_URI = 'https://direct.example/calls/v2';

let usual: InProcessService;
let renamed: InProcessService;

beforeAll(async () => {
  usual = await startTestService(await calculatorDeployment());
  renamed = await startTestService(
    await calculatorDeployment({ DIRECT_INVOKE_EXTENSION_URI: OWN_URI }),
  );
});

afterAll(async () => {
  await Promise.all([usual.dispose(), renamed.dispose()]);
});

async function declaredBy(service: InProcessService): Promise<readonly unknown[]> {
  const card = await service.call('GET', `/a2a/${CALCULATOR}/.well-known/agent-card.json`);
  const { extensions = [] } = card.body['capabilities'] as { extensions?: readonly JsonObject[] };
  return extensions
    .filter(({ params }) => (params as JsonObject | undefined)?.['skills'] !== undefined)
    .map(({ uri }) => uri);
}

const PAYLOAD = {
  callId: 'call-1',
  skillId: 'calculate_sum',
  arguments: { a: 12, b: 30 },
  bypassModel: true,
};

describe.each(BINDINGS)('RFC section 3.1, identity over $name', (binding) => {
  /** A direct invoke under a URI, or a script for `play` where that URI means nothing. */
  async function send(
    service: InProcessService,
    uri: string,
    payload: JsonObject = PAYLOAD,
  ): Promise<Reply> {
    const client = new AgentClient(service, CALCULATOR, await service.token(), binding);
    const metadata = { skillId: 'play', [uri]: payload };
    const params = playing(['completed'], { extensions: [uri], metadata });
    return client.ask('SendMessage', params, { headers: { 'a2a-extensions': uri } });
  }

  const namesOf = ({ result }: Reply) => {
    const { metadata } = result?.['task'] as { metadata?: JsonObject };
    return Object.keys(metadata ?? {});
  };

  it('is the URI of the RFC unless the deployment says otherwise', async () => {
    expect(await declaredBy(usual)).toEqual([RFC_URI]);
    const reply = await send(usual, RFC_URI);
    expect(dataOf(reply)).toEqual({ sum: 42 });
    expect(reply.headers.get('a2a-extensions')).toBe(RFC_URI);
  });

  it('is DIRECT_INVOKE_EXTENSION_URI where that is set, and then nothing else', async () => {
    expect(await declaredBy(renamed)).toEqual([OWN_URI]);
    const reply = await send(renamed, OWN_URI);
    expect(dataOf(reply)).toEqual({ sum: 42 });
    expect(reply.headers.get('a2a-extensions')).toBe(OWN_URI);
    const unknown = await send(renamed, RFC_URI);
    expect(outcomeOf(unknown)).toBe('COMPLETED');
    expect(unknown.result).not.toHaveProperty(['task', 'artifacts']);
    expect(unknown.headers.get('a2a-extensions')).toBeNull();
  });

  it.each([
    ['the URI of the RFC', () => usual, RFC_URI],
    ['one of the deployment’s own', () => renamed, OWN_URI],
  ])('is the single key of all metadata: %s', async (_, service, uri) => {
    expect(namesOf(await send(service(), uri, { ...PAYLOAD, traceId: 'trace-1' }))).toEqual([uri]);
    const failed = { ...PAYLOAD, arguments: { ...PAYLOAD.arguments, how: 'fail' } };
    const { error } = await send(service(), uri, failed);
    const client = new AgentClient(service(), CALCULATOR, await service().token(), binding);
    const task = await client.ask('GetTask', { id: String(error?.metadata['taskId']) });
    expect(namesOf({ ...task, result: { task: task.result ?? {} } })).toEqual([uri]);
  });
});
