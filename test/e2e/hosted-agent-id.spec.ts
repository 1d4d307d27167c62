import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { testKey } from '../agents/support/agents.js';
import { RestAgent } from '../agents/support/rest-agent.js';
import { BINDINGS } from '../a2a/transports/support/bindings.js';
import type { SampleBackend } from '../invocations/backends/support/sample-backend.js';
import { startTestService, type Answer, type InProcessService } from '../support/service.js';
import { HOST_TENANT, type Deployment } from './support/deployment.js';
import { outcomeOf } from './support/direct-calls.js';
import {
  agree,
  callerFor,
  contractSkill,
  FINANCE,
  financeDeployment,
  registerFinance,
  startBackend,
} from './support/finance.js';
import { Negotiator } from './support/negotiator.js';

const INTRUDER = 'intruder';
const SKILL = 'reconcile';

let service: InProcessService;
let backend: SampleBackend;

beforeAll(async () => {
  backend = await startBackend(() => service);
});

afterAll(async () => {
  await backend.stop();
});

const hosting = (): Promise<Deployment> => financeDeployment(backend, [contractSkill(SKILL)]);

async function registerAs(tenant: string, scopes: readonly string[]): Promise<Answer> {
  const token = await service.token({ principal: 'somebody', tenant, scopes });
  return new RestAgent(service, FINANCE).register([testKey('own', 7)], {}, token);
}

it('nobody but the tenant for which it is hosted takes the id of a hosted agent', async () => {
  service = await startTestService(await hosting());
  try {
    for (const scope of ['agents:write', 'agents:admin']) {
      const { status, body } = await registerAs(INTRUDER, [scope]);
      expect([status, body['code']]).toEqual([403, 'not-acting-agent']);
    }
    const partner = await Negotiator.register(service, 'partner');
    await agree(partner, await registerFinance(service));
    const caller = await callerFor(service, partner);
    expect(outcomeOf(await caller.invoke(SKILL, { invoice: 'INV-1' }))).toBe('COMPLETED');
  } finally {
    await service.dispose();
  }
});

it('whoever took the id before it was hosted has agreed to nothing in its name', async () => {
  const { folder, env } = await hosting();
  service = await startTestService({ folder });
  const finance = await Negotiator.register(service, FINANCE, { tenant: INTRUDER });
  const accomplice = await Negotiator.register(service, 'accomplice', { tenant: INTRUDER });
  const { interactionId } = await agree(accomplice, finance);
  await service.stop();

  service = await startTestService({ folder, env });
  try {
    const runs = backend.received.length;
    const caller = await callerFor(service, accomplice);
    for (const [contract, expected] of [
      [undefined, 'contract-required'],
      [{ interactionId }, 'contract-not-found'],
    ] as const) {
      const { body } = await caller.explain(SKILL, contract);
      expect([body['rule'], body['inForce']]).toEqual([expected, []]);
      for (const binding of BINDINGS) {
        const client = caller.over(binding);
        expect(outcomeOf(await client.route(SKILL, contract))).toBe(expected);
        const more = contract === undefined ? {} : { contract };
        const direct = await client.invoke(SKILL, { invoice: 'INV-1' }, more);
        expect(outcomeOf(direct)).toBe(`FORBIDDEN ${expected}`);
      }
    }
    expect(backend.received.length).toBe(runs);
    expect((await registerAs(HOST_TENANT, ['agents:write'])).body['code']).toBe('agent-exists');
  } finally {
    await service.dispose();
  }
});
