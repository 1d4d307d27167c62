import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { SampleBackend } from '../invocations/backends/support/sample-backend.js';
import { startTestService, type InProcessService } from '../support/service.js';
import { AgentClient, outcomeOf } from './support/direct-calls.js';
import { FINANCE, financeDeployment, ledgerSkill, SCOPE, startBackend } from './support/finance.js';
import { playing } from './support/script.js';

const INVOICE = { invoice: 'INV-1' };

let service: InProcessService;
let backend: SampleBackend;

beforeAll(async () => {
  backend = await startBackend(() => service);
  const { direct_invoke: _, ...talk } = ledgerSkill('talk');
  const env = { A2A_ANONYMOUS: 'secret' };
  service = await startTestService(
    await financeDeployment(backend, [ledgerSkill('lookup'), talk], { env }),
  );
});

afterAll(async () => {
  await service.dispose();
  await backend.stop();
});

async function counts(): Promise<unknown> {
  const token = await service.token({ scopes: ['operator:read'] });
  const { body } = await service.call('GET', '/health', { token });
  const { refusals } = body['checks'] as { refusals: { details: { byCode: unknown } } };
  return refusals.details.byCode;
}

it('what is refused is counted by its code, though it goes on no record', async () => {
  const clientWith = async (scopes: readonly string[]) =>
    new AgentClient(service, FINANCE, await service.token({ principal: 'alice', scopes }));
  const [alice, scopeless] = [await clientWith([SCOPE]), await clientWith([])];
  await alice.invoke('nothing', INVOICE);
  await scopeless.invoke('lookup', INVOICE);
  await alice.invoke('talk', INVOICE);
  await alice.invoke('lookup', {});
  expect(await counts()).toEqual({
    'not-entitled': 2,
    SKILL_DIRECT_INVOKE_SKILL_NOT_BOUND: 1,
    SKILL_DIRECT_INVOKE_INVALID_ARGUMENTS: 1,
  });
  // A replay is looked at anew.
  const params = playing(['completed'], { metadata: { skillId: 'talk' } });
  expect(outcomeOf(await alice.ask('SendMessage', params))).toBe('COMPLETED');
  expect((await scopeless.ask('SendMessage', params)).error).toBeDefined();
  expect(await counts()).toMatchObject({ 'not-entitled': 3 });
});
