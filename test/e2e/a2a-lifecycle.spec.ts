import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { JsonObject } from '../../src/kernel/json.js';
import { BINDINGS, saying, type Reply } from '../a2a/transports/support/bindings.js';
import { startTestService, type InProcessService } from '../support/service.js';
import { deployment, scripted } from './support/deployment.js';
import { Operator } from './support/operator.js';

const AGENT = 'studio';
const PARTNER = 'partner-agent';

let service: InProcessService;
let operator: Operator;
let token: string;

beforeAll(async () => {
  const usual = { handler: 'e2e.named', skill: { description: 'Something else entirely.' } };
  const manifests = [scripted('other', usual), scripted('another', usual)];
  service = await startTestService(await deployment({ [AGENT]: manifests }));
  operator = await Operator.of(service, AGENT);
  token = await service.token({
    principal: 'alice',
    tenant: 'partner',
    agent: PARTNER,
    scopes: [],
  });
});

afterAll(async () => {
  await service.dispose();
});

/** One life, step by step; the capability is another one in each binding. */
describe.each(BINDINGS)('a capability, as its caller sees it over $name', (binding) => {
  const id = `draft-${binding.name === 'JSON-RPC' ? 'a' : 'b'}`;
  const agentUrl = (): string => `${service.url}/a2a/${AGENT}`;
  const send = (skillId: string, more: JsonObject = {}): Promise<Reply> =>
    binding.call(agentUrl(), 'SendMessage', saying('go', { ...more, metadata: { skillId } }), {
      token,
    });

  async function shown(): Promise<JsonObject | undefined> {
    const { result, error } = await binding.call(agentUrl(), 'GetExtendedAgentCard', {}, { token });
    // Without anything for an extended card there is none.
    if (error !== undefined) expect(error.reason).toBe('UNSUPPORTED_OPERATION');
    const skills = (result?.['skills'] ?? []) as readonly JsonObject[];
    return skills.find((skill) => skill['id'] === id);
  }

  async function shownToAll(): Promise<JsonObject | undefined> {
    const { body } = await service.call('GET', `/a2a/${AGENT}/.well-known/agent-card.json`);
    return (body['skills'] as readonly JsonObject[]).find((skill) => skill['id'] === id);
  }

  const stateOf = ({ result }: Reply) =>
    (result?.['task'] as { status: { state: string } } | undefined)?.status.state;
  const textOf = ({ result }: Reply) =>
    (result?.['task'] as { status: { message: { parts: { text: string }[] } } }).status.message
      .parts[0]?.text;

  it('is a preview that nobody knows of', async () => {
    await operator.register({
      ...scripted(id, { handler: 'e2e.named', state: 'preview' }),
      agentId: AGENT,
    });
    expect([await shown(), await shownToAll()]).toEqual([undefined, undefined]);
    const asked = await send(id);
    expect(stateOf(asked)).toBe('TASK_STATE_INPUT_REQUIRED');
    expect(textOf(asked)).not.toContain(id);
  });

  let resent: JsonObject;

  it('is visible and callable for an agent that was let in, and for nobody else', async () => {
    await operator.optIn(id, PARTNER);
    expect(await shown()).toMatchObject({ id });
    expect(await shownToAll()).toBeUndefined();
    resent = saying('go', { metadata: { skillId: id } });
    const ran = await binding.call(agentUrl(), 'SendMessage', resent, { token });
    expect([stateOf(ran), textOf(ran)]).toEqual(['TASK_STATE_COMPLETED', `ran ${id}`]);
    const stranger = await service.token({ principal: 'alice', tenant: 'partner', scopes: [] });
    const asked = await binding.call(agentUrl(), 'SendMessage', resent, { token: stranger });
    expect(stateOf(asked)).toBe('TASK_STATE_INPUT_REQUIRED');
    expect(textOf(asked)).not.toContain(id);
  });

  it('is neither after the way back, not even by the message of before', async () => {
    await operator.optOut(id, PARTNER);
    expect(await shown()).toBeUndefined();
    expect(stateOf(await send(id))).toBe('TASK_STATE_INPUT_REQUIRED');
    const again = await binding.call(agentUrl(), 'SendMessage', resent, { token });
    expect(again.error).toMatchObject({
      reason: 'UNSUPPORTED_OPERATION',
      metadata: { code: 'capability-unavailable' },
    });
    expect(JSON.stringify(again.error)).not.toContain(id);
  });

  it('is everybody’s once it is released', async () => {
    await operator.become(id, { state: 'ga' });
    expect(await shownToAll()).toMatchObject({ id, description: 'Plays a script.' });
    expect(textOf(await send(id))).toBe(`ran ${id}`);
  });

  it('names its replacement once it is deprecated, and still runs', async () => {
    await operator.register({ ...scripted(`${id}-v2`, { handler: 'e2e.named' }), agentId: AGENT });
    await operator.become(id, { state: 'deprecated', replacement: `${id}-v2` });
    expect(await shownToAll()).toMatchObject({
      description: `Deprecated: use ${id}-v2 instead. Plays a script.`,
    });
    expect(textOf(await send(id))).toBe(`ran ${id}`);
  });

  it('is not removed while it is used, unless somebody says why', async () => {
    await expect(operator.become(id, { state: 'removed' })).rejects.toThrow('capability-in-use');
    await operator.become(id, { state: 'removed', force: true, reason: 'It is over.' });
    expect([await shown(), await shownToAll()]).toEqual([undefined, undefined]);
  });

  it('answers with its replacement once it is removed', async () => {
    const gone = await send(id);
    expect(gone.error).toMatchObject({
      reason: 'UNSUPPORTED_OPERATION',
      domain: 'a2a-protocol.org',
      code: binding.name === 'JSON-RPC' ? -32004 : 'UNIMPLEMENTED',
      metadata: { code: 'skill-removed', skillId: id, replacement: `${id}-v2` },
    });
    expect(textOf(await send(`${id}-v2`))).toBe(`ran ${id}-v2`);
  });

  it('gives those who called it the task of then', async () => {
    const again = await binding.call(agentUrl(), 'SendMessage', resent, { token });
    expect(textOf(again)).toBe(`ran ${id}`);
  });
});

it('the public card counts its versions up, one for each list of skills', async () => {
  const { body } = await service.call('GET', `/a2a/${AGENT}/.well-known/agent-card.json`);
  // Two lives: ga, its successor, deprecated, removed; and the list of the start.
  expect(body['version']).toBe('1.0.9');
});
