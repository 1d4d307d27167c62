import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { BINDINGS, taskIdOf } from '../a2a/transports/support/bindings.js';
import { ownershipMatrix } from '../a2a/transports/support/ownership-matrix.js';
import { DIRECT_URI } from '../capabilities/support/extensions.js';
import type { SampleBackend } from '../invocations/backends/support/sample-backend.js';
import { eventually } from '../support/eventually.js';
import { startTestService, type InProcessService } from '../support/service.js';
import { AgentClient, dataOf, invoking, outcomeOf } from './support/direct-calls.js';
import { FINANCE, financeDeployment, ledgerSkill, SCOPE, startBackend } from './support/finance.js';

let service: InProcessService;
let backend: SampleBackend;
let alice: AgentClient;
let bob: AgentClient;

beforeAll(async () => {
  backend = await startBackend(() => service);
  const env = { A2A_ANONYMOUS: 'secret', ALLOW_LOOPBACK_WEBHOOKS: '1' };
  service = await startTestService(
    await financeDeployment(backend, [ledgerSkill('lookup')], { env }),
  );
  const clientOf = async (principal: string) =>
    new AgentClient(service, FINANCE, await service.token({ principal, scopes: [SCOPE] }));
  [alice, bob] = [await clientOf('alice'), await clientOf('bob')];
});

afterAll(async () => {
  await service.dispose();
  await backend.stop();
});

const INVOICE = { invoice: 'INV-1' };

/** For so long a live task is live: as long as a row of the matrix may take. */
const LIVE_MS = 1_000;

describe('whose the task of a direct invoke is', () => {
  const underWay = { live: 'UNSUPPORTED_OPERATION', stored: 'UNSUPPORTED_OPERATION' };
  ownershipMatrix(
    () => ({
      agentUrl: `${service.url}/a2a/${FINANCE}`,
      ownersToken: alice.token ?? '',
      othersToken: bob.token ?? '',
      task: async (kind) => {
        backend.delay = async () => delay(kind === 'live' ? LIVE_MS : 0);
        const runs = backend.received.length;
        const configuration = { returnImmediately: kind === 'live' };
        const id = taskIdOf(await alice.invoke('lookup', INVOICE, { configuration }));
        await eventually(() => backend.received.length > runs);
        return id;
      },
    }),
    // Its turn is under way: the owner is told so.
    { SendMessage: underWay, SendStreamingMessage: underWay },
  );
});

describe.each(BINDINGS)('a direct invoke whose answer is lost ($name)', (binding) => {
  const clients = () => [alice.over(binding), bob.over(binding)] as const;

  it('runs once, and is answered when it is sent again', async () => {
    const [mine] = clients();
    const runs = backend.received.length;
    backend.delay = async () => delay(150);
    const params = invoking('lookup', INVOICE);
    const rpc = { jsonrpc: '2.0', id: 1, method: 'SendMessage', params };
    const isRpc = binding.name === 'JSON-RPC';
    const lost = new AbortController();
    const sent = fetch(`${service.url}/a2a/${FINANCE}${isRpc ? '' : '/message:send'}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'a2a-version': '1.0',
        'a2a-extensions': DIRECT_URI,
        authorization: `Bearer ${String(mine.token)}`,
      },
      body: JSON.stringify(isRpc ? rpc : params),
      signal: lost.signal,
    });
    await eventually(() => backend.received.length > runs);
    lost.abort();
    await expect(sent).rejects.toThrow();
    const [again, oncemore] = [await mine.send(params), await mine.send(params)];
    expect(outcomeOf(again)).toBe('COMPLETED');
    expect(taskIdOf(oncemore)).toBe(taskIdOf(again));
    expect(dataOf(oncemore)).toEqual({ for: 'alice', arguments: INVOICE });
    expect(backend.received.length - runs).toBe(1);
  });

  it('as a stream, it is told again whole', async () => {
    const [mine] = clients();
    backend.delay = async () => delay(0);
    const params = invoking('lookup', INVOICE);
    const first = await mine.send(params, 'SendStreamingMessage');
    const runs = backend.received.length;
    const again = await mine.send(params, 'SendStreamingMessage');
    expect(taskIdOf(again)).toBe(taskIdOf(first));
    expect(again.text).toContain('INV-1');
    expect(again.text).toContain('TASK_STATE_COMPLETED');
    expect(backend.received.length).toBe(runs);
  });

  it('the same id from somebody else is another call, which shows nothing of the first', async () => {
    const [mine, others] = clients();
    backend.delay = async () => delay(0);
    const params = invoking('lookup', { invoice: 'only-for-alice' });
    const message = params['message'] as { messageId: string };
    const first = await mine.send(params);
    const theirs = await others.invoke('lookup', INVOICE, {
      message: { messageId: message.messageId },
    });
    expect(taskIdOf(theirs)).not.toBe(taskIdOf(first));
    expect(dataOf(theirs)).toEqual({ for: 'bob', arguments: INVOICE });
    expect(theirs.text).not.toContain('only-for-alice');
  });
});
