import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestService, type InProcessService } from '../../support/service.js';

const skill = {
  tags: ['x'],
  inputModes: ['text/plain'],
  outputModes: ['text/plain'],
};
const manifest = { state: 'ga', tenants: '*', handler: 'none', limits: {}, owner: 'team' };
const MANIFESTS = {
  lookup: {
    ...manifest,
    id: 'lookup',
    visibility: 'public',
    requires_scopes: [],
    skill: { ...skill, name: 'Look up', description: 'Shows.', examples: ['show payment status'] },
  },
  reconcile: {
    ...manifest,
    id: 'reconcile',
    visibility: 'extended',
    requires_scopes: ['recon.run'],
    skill: { ...skill, name: 'Match', description: 'Compares.', examples: ['match the orders'] },
  },
};

let service: InProcessService;

beforeAll(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'countersign-explain-'));
  await mkdir(join(folder, 'capabilities'));
  for (const [name, content] of Object.entries(MANIFESTS)) {
    await writeFile(join(folder, 'capabilities', `${name}.json`), JSON.stringify(content));
  }
  const agent = {
    agentId: 'finance',
    tenant: 'finance',
    name: 'Finance',
    description: 'Invoices.',
  };
  const agents = { agents: [{ ...agent, version: '1.0', capabilities: 'capabilities' }] };
  await writeFile(join(folder, 'agents.json'), JSON.stringify(agents));
  const env = { HOSTED_AGENTS: join(folder, 'agents.json'), TEXT_CLASSIFIER: 'words' };
  service = await startTestService({ folder, env });
});

afterAll(async () => {
  await service.dispose();
});

describe('POST /v1/routing/explain', () => {
  const path = '/v1/routing/explain';
  const own = { agent: 'finance', text: 'match the orders' };
  const about = { ...own, caller: { tenant: 'other', scopes: ['recon.run'] } };

  it('wants a token', async () => {
    expect((await service.call('POST', path, { body: own })).status).toBe(401);
  });

  it('answers anybody about their own messages, without a word of what is hidden', async () => {
    const token = await service.token({ scopes: [] });
    const answer = await service.call('POST', path, { token, body: own });
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ agent: 'finance', decision: 'clarify', among: ['lookup'] });
    expect(answer.text).not.toContain('reconcile');
  });

  it('answers operators about others', async () => {
    const token = await service.token({ tenant: 'finance', scopes: ['operator:explain'] });
    const answer = await service.call('POST', path, { token, body: about });
    expect(answer.status).toBe(200);
    expect(answer.text).toContain('reconcile');
  });

  it('answers operators of other tenants as if the agent were not', async () => {
    const token = await service.token({ tenant: 'attacker', scopes: ['operator:explain'] });
    for (const caller of [about.caller, { tenant: 'finance', scopes: ['recon.run'] }]) {
      const answer = await service.call('POST', path, { token, body: { ...own, caller } });
      expect([answer.status, answer.body['code']]).toEqual([404, 'agent-not-found']);
      expect(answer.text).not.toContain('reconcile');
    }
  });

  it('tells of a task no skill that the token, or nobody any more, may use', async () => {
    const tokenOf = (scopes: readonly string[]) => service.token({ principal: 'al', scopes });
    const [full, low] = [await tokenOf(['recon.run']), await tokenOf([])];
    const params = { message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'hello' }] } };
    const body = { jsonrpc: '2.0', id: 1, method: 'SendMessage', params };
    const headers = { 'a2a-version': '1.0' };
    const sent = await service.call('POST', '/a2a/finance', { token: full, body, headers });
    const { task } = sent.body['result'] as { task: { id: string } };
    const explain = (token: string) =>
      service.call('POST', path, { token, body: { agent: 'finance', taskId: task.id } });
    const whole = { recorded: { considered: ['lookup', 'reconcile'], total: 2 } };
    expect((await explain(full)).body).toMatchObject(whole);
    const { status, body: told, text } = await explain(low);
    expect([status, told['recorded']]).toMatchObject([200, { considered: ['lookup'], total: 1 }]);
    expect(text).not.toContain('reconcile');
  });

  it('finds no task that is not', async () => {
    const token = await service.token({ tenant: 'finance', scopes: ['operator:explain'] });
    const body = { agent: 'finance', taskId: '2f0d2c2a-8f5e-4c55-9d0c-6e5d1f1f0a11' };
    const answer = await service.call('POST', path, { token, body });
    expect([answer.status, answer.body['code']]).toEqual([404, 'task-not-found']);
  });

  it('refuses to answer others about others', async () => {
    const token = await service.token({ scopes: ['operator:read'] });
    const answer = await service.call('POST', path, { token, body: about });
    expect([answer.status, answer.body['code']]).toEqual([403, 'scope-missing']);
  });
});
