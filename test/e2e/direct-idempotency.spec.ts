import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { BINDINGS, taskIdOf } from '../a2a/transports/support/bindings.js';
import type { SampleBackend } from '../invocations/backends/support/sample-backend.js';
import { eventually } from '../support/eventually.js';
import { startTestService, type InProcessService } from '../support/service.js';
import { AgentClient, dataOf, outcomeOf } from './support/direct-calls.js';
import {
  agree,
  callerFor,
  contractSkill,
  FINANCE,
  financeDeployment,
  ledgerSkill,
  newPartner,
  registerFinance,
  SCOPE,
  startBackend,
} from './support/finance.js';
import { documentOf, type Negotiator } from './support/negotiator.js';

let service: InProcessService;
let backend: SampleBackend;
let finance: Negotiator;
let alice: AgentClient;
let retentionMs = 3_600_000;

beforeAll(async () => {
  backend = await startBackend(() => service);
  const skills = [ledgerSkill('lookup'), ledgerSkill('other'), contractSkill('reconcile')];
  service = await startTestService({
    ...(await financeDeployment(backend, skills)),
    settings: (config) => ({ ...config, a2a: { ...config.a2a, taskRetentionMs: retentionMs } }),
  });
  finance = await registerFinance(service);
  alice = await clientOf('alice');
});

afterAll(async () => {
  await service.dispose();
  await backend.stop();
});

const INVOICE = { invoice: 'INV-1' };
const OTHER = { invoice: 'INV-2' };

async function clientOf(principal: string, tenant = 'tenant'): Promise<AgentClient> {
  const token = await service.token({ principal, tenant, scopes: [SCOPE] });
  return new AgentClient(service, FINANCE, token);
}

let keys = 0;
const freshKey = () => ({ payload: { idempotencyKey: `key-${String(keys++)}` } });

/** How often the backend is called in the course of something. */
async function runsOf(work: () => Promise<unknown>): Promise<number> {
  const before = backend.received.length;
  await work();
  return backend.received.length - before;
}

describe.each(BINDINGS)('an idempotency key over $name', (binding) => {
  it('gives the first task for the same arguments, however they are written, by any message', async () => {
    const client = alice.over(binding);
    const key = freshKey();
    const runs = await runsOf(async () => {
      const first = await client.invoke('lookup', INVOICE, key);
      const again = await client.invoke('lookup', INVOICE, {
        payload: { ...key.payload, callId: 'call-2', traceId: 'another' },
      });
      expect(again.result).toEqual(first.result);
      for (const each of BINDINGS) {
        expect((await alice.over(each).invoke('lookup', INVOICE, key)).result).toEqual(
          first.result,
        );
      }
    });
    expect(runs).toBe(1);
  });

  it('conflicts with other arguments, whatever became of the first call', async () => {
    const client = alice.over(binding);
    const key = freshKey();
    const conflict = 'IDEMPOTENCY_CONFLICT idempotency-key-reused';
    expect(outcomeOf(await client.invoke('lookup', INVOICE, key))).toBe('COMPLETED');
    expect(outcomeOf(await client.invoke('lookup', OTHER, key))).toBe(conflict);
    const failing = freshKey();
    backend.replies.push((_, response) => response.writeHead(422).end());
    expect(outcomeOf(await client.invoke('lookup', INVOICE, failing))).toBe('BACKEND_FAILED');
    expect(outcomeOf(await client.invoke('lookup', OTHER, failing))).toBe(conflict);
    // A failure is an outcome: it is answered again, not tried again.
    const runs = await runsOf(async () => {
      expect(outcomeOf(await client.invoke('lookup', INVOICE, failing))).toBe('BACKEND_FAILED');
    });
    expect(runs).toBe(0);
  });

  it('never collides with the same key for another skill, caller or tenant', async () => {
    const key = freshKey();
    const clients = [alice, await clientOf('bob'), await clientOf('alice', 'another-tenant')];
    const runs = await runsOf(async () => {
      const replies = [];
      for (const client of clients) {
        replies.push(await client.over(binding).invoke('lookup', INVOICE, key));
        replies.push(await client.over(binding).invoke('other', OTHER, key));
      }
      expect(replies.map(outcomeOf)).toEqual(replies.map(() => 'COMPLETED'));
      expect(new Set(replies.map(taskIdOf)).size).toBe(replies.length);
      expect(dataOf(replies[2]!)).toEqual({ for: 'bob', arguments: INVOICE });
    });
    expect(runs).toBe(2 * clients.length);
  });

  it('lets 50 concurrent calls run once', async () => {
    const client = alice.over(binding);
    const key = freshKey();
    const runs = await runsOf(async () => {
      const replies = await Promise.all(
        Array.from({ length: 50 }, () => client.invoke('lookup', INVOICE, key)),
      );
      expect(new Set(replies.map(outcomeOf))).toEqual(new Set(['COMPLETED']));
      expect(new Set(replies.map(taskIdOf)).size).toBe(1);
    });
    expect(runs).toBe(1);
  });

  it('lets one of two different concurrent calls run, and refuses the other', async () => {
    const client = alice.over(binding);
    for (let round = 0; round < 5; round++) {
      const key = freshKey();
      const runs = await runsOf(async () => {
        const calls = [INVOICE, OTHER, INVOICE, OTHER].map((args) =>
          client.invoke('lookup', args, key),
        );
        const outcomes = (await Promise.all(calls)).map(outcomeOf);
        const [won, lost] = outcomes[0] === 'COMPLETED' ? [0, 1] : [1, 0];
        expect([outcomes[won], outcomes[won + 2]]).toEqual(['COMPLETED', 'COMPLETED']);
        const conflict = 'IDEMPOTENCY_CONFLICT idempotency-key-reused';
        expect([outcomes[lost], outcomes[lost + 2]]).toEqual([conflict, conflict]);
      });
      expect(runs).toBe(1);
    }
  });
});

describe('a key whose call was made', () => {
  it('is refused once the contract has ended, and answered while it is in force', async () => {
    const partner = await newPartner(service);
    const document = await agree(partner, finance);
    const client = await callerFor(service, partner);
    const key = freshKey();
    const runs = await runsOf(async () => {
      const first = await client.invoke('reconcile', INVOICE, key);
      expect(taskIdOf(await client.invoke('reconcile', INVOICE, key))).toBe(taskIdOf(first));
      documentOf(await partner.cancel(document));
      const refused = await client.invoke('reconcile', INVOICE, key);
      expect(outcomeOf(refused)).toBe('FORBIDDEN contract-required');
      expect(refused.text).not.toContain(taskIdOf(first));
      // A contract of today lets its caller see what came of the call of then.
      await agree(partner, finance);
      expect(taskIdOf(await client.invoke('reconcile', INVOICE, key))).toBe(taskIdOf(first));
    });
    expect(runs).toBe(1);
  });

  it('never runs it again after its task is gone, and says so', async () => {
    const key = freshKey();
    const first = await alice.invoke('lookup', INVOICE, key);
    retentionMs = 1;
    await service.restart();
    const id = taskIdOf(first);
    await eventually(async () => {
      const { error } = await alice.ask('GetTask', { id });
      return error?.reason === 'TASK_NOT_FOUND';
    });
    const spent = 'IDEMPOTENCY_CONFLICT idempotency-key-spent';
    const runs = await runsOf(async () => {
      expect(outcomeOf(await alice.invoke('lookup', INVOICE, key))).toBe(spent);
      expect(outcomeOf(await alice.invoke('lookup', OTHER, key))).toBe(spent);
    });
    expect(runs).toBe(0);
  });
});
