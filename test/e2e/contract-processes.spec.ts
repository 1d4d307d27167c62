import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PROCESS_TEST_TIMEOUT } from '../contracts/support/effort.js';
import type { SampleBackend } from '../invocations/backends/support/sample-backend.js';
import { eventually } from '../support/eventually.js';
import type { SpawnedService } from '../support/service.js';
import { taskIdOf } from '../a2a/transports/support/bindings.js';
import { invoking, outcomeOf } from './support/direct-calls.js';
import {
  agree,
  callerFor,
  contractSkill,
  financeDeployment,
  newPartner,
  registerFinance,
  startBackend,
} from './support/finance.js';
import { documentOf, type Negotiator } from './support/negotiator.js';
import { recordedIn } from './support/recorded.js';
import { spawnTwoNodes } from './support/nodes.js';

/** The handler's time, what a node gets to end it, and looks for what is lost. */
const GIVEN_UP_WITHIN_MS = 40_000;
const ARGUMENTS = { invoice: 'INV-1' };

describe('two processes over one log', () => {
  let first: SpawnedService;
  let second: SpawnedService;
  let backend: SampleBackend;
  let finance: Negotiator;
  let folder: string;

  beforeAll(async () => {
    backend = await startBackend(() => first);
    const brief = contractSkill('brief', { limits: { max_execution_seconds: 1 } });
    const deployed = await financeDeployment(backend, [contractSkill('reconcile'), brief]);
    ({ folder } = deployed);
    [first, second] = await spawnTwoNodes(deployed);
    finance = await registerFinance(first);
  }, PROCESS_TEST_TIMEOUT);

  afterAll(async () => {
    await Promise.all([first.stop(), second.stop()]);
    await backend.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it('a contract that comes into force in one allows the next call in the other', async () => {
    const partner = await newPartner(first);
    const caller = await callerFor(first, partner);
    const there = caller.at(second);
    expect(outcomeOf(await there.invoke('reconcile', ARGUMENTS))).toBe(
      'FORBIDDEN contract-required',
    );
    await agree(partner, finance);
    expect(outcomeOf(await there.invoke('reconcile', ARGUMENTS))).toBe('COMPLETED');
  });

  it('one that is ended in one stops the very next call in the other, however it is made', async () => {
    const runs = backend.received.length;
    let granted = 0;
    for (let round = 0; round < 6; round++) {
      const partner = await newPartner(first);
      const document = await agree(partner, finance);
      const there = (await callerFor(first, partner)).at(second);
      expect(outcomeOf(await there.invoke('reconcile', ARGUMENTS))).toBe('COMPLETED');
      granted++;
      documentOf(await (round % 2 === 0 ? partner : finance).cancel(document));
      // No wait, and no token that tells the other process how far the log is.
      const contract = { interactionId: document.interactionId };
      const [direct, named, routed, explained] = await Promise.all([
        there.invoke('reconcile', ARGUMENTS),
        there.invoke('reconcile', ARGUMENTS, { contract }),
        there.route('reconcile'),
        there.explain('reconcile'),
      ]);
      expect([outcomeOf(direct), outcomeOf(named), outcomeOf(routed)]).toEqual([
        'FORBIDDEN contract-required',
        'FORBIDDEN contract-ended',
        'contract-required',
      ]);
      expect(explained.body['rule']).toBe('contract-required');
    }
    expect(backend.received.length - runs).toBe(granted);
  });

  it('a prohibition that is amended in by one stops the next call in the other', async () => {
    const partner = await newPartner(first);
    const document = await agree(partner, finance);
    const there = (await callerFor(first, partner)).at(second);
    expect(outcomeOf(await there.invoke('reconcile', ARGUMENTS))).toBe('COMPLETED');
    const terms = { ...document.contract, prohibitedActions: ['reconcile'], allowedActions: [] };
    documentOf(await finance.accept(documentOf(await partner.revise(document, terms))));
    expect(outcomeOf(await there.invoke('reconcile', ARGUMENTS))).toBe(
      'FORBIDDEN action-prohibited',
    );
  });

  it('the same idempotency key at both of them at once runs one time', async () => {
    const partner = await newPartner(first);
    await agree(partner, finance);
    const caller = await callerFor(first, partner);
    for (let round = 0; round < 3; round++) {
      const runs = backend.received.length;
      const payload = { idempotencyKey: `both-${String(round)}` };
      const replies = await Promise.all(
        Array.from({ length: 10 }, (_, index) =>
          caller.at(index % 2 === 0 ? first : second).invoke('reconcile', ARGUMENTS, { payload }),
        ),
      );
      expect(new Set(replies.map(outcomeOf))).toEqual(new Set(['COMPLETED']));
      expect(new Set(replies.map(taskIdOf)).size).toBe(1);
      expect(backend.received.length - runs).toBe(1);
    }
  });

  it(
    'a process that is killed between admission and outcome leaves an unknown outcome, and no second run',
    async () => {
      const partner = await newPartner(first);
      await agree(partner, finance);
      const caller = (await callerFor(first, partner)).at(second);
      const runs = backend.received.length;
      let answer: () => void = () => undefined;
      backend.delay = async () => new Promise((resolve) => (answer = resolve));
      const payload = { idempotencyKey: 'killed' };
      const configuration = { returnImmediately: true };
      const params = invoking('brief', ARGUMENTS, { payload, configuration });
      const id = taskIdOf(await caller.send(params));
      await eventually(() => backend.received.length === runs + 1);
      await second.kill();
      answer();
      backend.delay = async () => Promise.resolve();

      const survivor = caller.at(first);
      const early = await survivor.send(params);
      expect(taskIdOf(early)).toBe(id);
      await second.start();
      await eventually(async () => (await survivor.stateOf(id)) === 'FAILED', GIVEN_UP_WITHIN_MS);
      // The same key, the same message, at both of them: the same failure, of the same task.
      for (const node of [first, second]) {
        const again = await caller.at(node).send(params);
        expect(again.error?.metadata['taskId']).toBe(id);
        expect(outcomeOf(again)).toMatch(/^BACKEND_UNAVAILABLE /);
        const keyed = await caller.at(node).invoke('brief', ARGUMENTS, { payload });
        expect(keyed.error?.metadata['taskId']).toBe(id);
      }
      const outcomes = async () => {
        const events = await recordedIn(folder, 'events.db');
        const admitted = events.find(({ data }) => data['taskId'] === id);
        return events.filter(({ stream }) => stream === admitted?.stream);
      };
      await eventually(async () => (await outcomes()).length === 2, GIVEN_UP_WITHIN_MS);
      const [admission, end] = await outcomes();
      expect([admission?.type, end?.data['outcome']]).toEqual([
        'invocation-admitted',
        'outcome-unknown',
      ]);
      expect(backend.received.length).toBe(runs + 1);
    },
    PROCESS_TEST_TIMEOUT,
  );
});
