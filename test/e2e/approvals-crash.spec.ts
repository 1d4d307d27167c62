import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { taskIdOf } from '../a2a/transports/support/bindings.js';
import { PROCESS_TEST_TIMEOUT } from '../contracts/support/effort.js';
import type { SampleBackend } from '../invocations/backends/support/sample-backend.js';
import { eventually } from '../support/eventually.js';
import { spawnTestService, type SpawnedService } from '../support/service.js';
import { Approver, verdictOf } from './support/approver.js';
import { dataOf, outcomeOf, type AgentClient } from './support/direct-calls.js';
import {
  agree,
  callerFor,
  contractSkill,
  financeDeployment,
  newPartner,
  registerFinance,
  startBackend,
} from './support/finance.js';
import type { Negotiator } from './support/negotiator.js';
import { recordedIn } from './support/recorded.js';

/** The handler's time, what a node gets to end it, and looks for what is lost. */
const GIVEN_UP_WITHIN_MS = 40_000;
const INVOICE = { invoice: 'INV-1' };

describe('a process that is killed around an approval', () => {
  let service: SpawnedService;
  let backend: SampleBackend;
  let finance: Negotiator;

  beforeAll(async () => {
    backend = await startBackend(() => service);
    const skills = [
      contractSkill('reconcile', { limits: { max_execution_seconds: 1 } }),
      contractSkill('one-at-a-time', { limits: { max_concurrent: 1, max_execution_seconds: 3 } }),
    ];
    service = await spawnTestService(await financeDeployment(backend, skills));
    finance = await registerFinance(service);
  }, PROCESS_TEST_TIMEOUT);

  afterAll(async () => {
    await service.dispose();
    await backend.stop();
  });

  async function partnerUnder(humanApprovalRequirements: readonly string[]): Promise<AgentClient> {
    const partner = await newPartner(service);
    await agree(partner, finance, { humanApprovalRequirements });
    return callerFor(service, partner);
  }

  async function killAndStart(): Promise<void> {
    await service.kill();
    await service.start();
  }

  const runsFor = ({ principal }: AgentClient) =>
    backend.received.filter(({ claims }) => claims.sub === principal).length;

  it(
    'while it waits: it waits on, is approved, and completes once',
    async () => {
      const client = await partnerUnder(['reconcile']);
      const payload = { idempotencyKey: 'waits-over-a-crash' };
      const first = await client.invoke('reconcile', INVOICE, { payload });
      const id = taskIdOf(first);
      await killAndStart();
      expect(await client.stateOf(id)).toBe('AUTH_REQUIRED');
      const approver = await Approver.of(service);
      const approval = await approver.pendingFor(id);
      expect((await approver.read(approval.invocationId)).body['arguments']).toEqual(INVOICE);
      expect(verdictOf(await approver.decide(approval, 'approve'))).toBe('approved');
      await eventually(async () => (await client.stateOf(id)) === 'COMPLETED');
      const again = await client.invoke('reconcile', INVOICE, { payload });
      expect([taskIdOf(again), dataOf(again)['arguments']]).toEqual([id, INVOICE]);
      expect(runsFor(client)).toBe(1);
    },
    PROCESS_TEST_TIMEOUT,
  );

  it(
    'after the decision and before the call: it is made once, by whoever comes next',
    async () => {
      const client = await partnerUnder(['reconcile']);
      const reply = await client.invoke('one-at-a-time', INVOICE);
      const id = taskIdOf(reply);
      expect(outcomeOf(reply)).toBe('AUTH_REQUIRED');
      // The only place is taken, so that what is approved waits for it.
      let answer: () => void = () => undefined;
      backend.delay = async () => new Promise((resolve) => (answer = resolve));
      const occupier = await partnerUnder([]);
      const runs = backend.received.length;
      const configuration = { returnImmediately: true };
      const occupying = await occupier.invoke('one-at-a-time', INVOICE, { configuration });
      await eventually(() => backend.received.length === runs + 1);
      const approver = await Approver.of(service);
      const approval = await approver.pendingFor(id);
      expect(verdictOf(await approver.decide(approval, 'approve'))).toBe('approved');
      expect(await client.stateOf(id)).toBe('AUTH_REQUIRED');
      await service.kill();
      answer();
      backend.delay = async () => Promise.resolve();
      await service.start();

      await eventually(async () => (await client.stateOf(id)) === 'COMPLETED', GIVEN_UP_WITHIN_MS);
      expect(runsFor(client)).toBe(1);
      expect(verdictOf(await approver.decide(approval, 'deny'))).toBe('approval-decided');
      // And what was under way is not made again.
      expect(outcomeOf(occupying)).toBe('SUBMITTED');
      expect(runsFor(occupier)).toBe(1);
    },
    PROCESS_TEST_TIMEOUT,
  );

  it(
    'in the very moment of the decision: never twice, and the log says what is known',
    async () => {
      const client = await partnerUnder(['reconcile']);
      const id = taskIdOf(await client.invoke('reconcile', INVOICE));
      const approver = await Approver.of(service);
      const approval = await approver.pendingFor(id);
      expect(verdictOf(await approver.decide(approval, 'approve'))).toBe('approved');
      await killAndStart();
      let state = '';
      await eventually(async () => {
        state = await client.stateOf(id);
        return state === 'COMPLETED' || state === 'FAILED';
      }, GIVEN_UP_WITHIN_MS);
      const runs = runsFor(client);
      expect(runs).toBeLessThanOrEqual(1);
      if (state === 'COMPLETED') expect(runs).toBe(1);
      const stream = `invocation-${approval.invocationId}`;
      const types = async () => {
        const events = await recordedIn(service.folder, 'events.db');
        return events.filter((each) => each.stream === stream).map(({ type }) => type);
      };
      await eventually(
        async () => (await types()).includes('invocation-ended'),
        GIVEN_UP_WITHIN_MS,
      );
      // Killed after the task went on and before the admission, it is given up: then nothing has run.
      const wasAdmitted = (await types()).includes('invocation-admitted');
      if (state === 'COMPLETED' || runs > 0) expect(wasAdmitted).toBe(true);
      expect(await types()).toEqual([
        ...['approval-requested', 'approval-given'],
        ...(wasAdmitted ? ['invocation-admitted'] : []),
        'invocation-ended',
      ]);
    },
    PROCESS_TEST_TIMEOUT,
  );
});
