import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { JsonObject } from '../../src/kernel/json.js';
import { BINDINGS, type Binding, type Reply } from '../a2a/transports/support/bindings.js';
import { DIRECT_URI as URI } from '../capabilities/support/extensions.js';
import type { SampleBackend } from '../invocations/backends/support/sample-backend.js';
import { startTestService, type InProcessService } from '../support/service.js';
import { scripted } from './support/deployment.js';
import { invoking, outcomeOf, type AgentClient, type CallMore } from './support/direct-calls.js';
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
import type { Negotiator } from './support/negotiator.js';
import { Operator } from './support/operator.js';
import { journalOf } from './support/recorded.js';
import { playing } from './support/script.js';

let service: InProcessService;
let backend: SampleBackend;
let finance: Negotiator;
let journal: string;

beforeAll(async () => {
  backend = await startBackend(() => service);
  const deployed = await financeDeployment(backend, [
    contractSkill('reconcile'),
    ledgerSkill('lookup'),
    scripted('play'),
    ledgerSkill('secret-scopes', { requires_scopes: ['no-such-scope'] }),
    ledgerSkill('secret-tenant', { tenants: ['others'] }),
    ledgerSkill('secret-internal', { visibility: 'internal', requires_scopes: ['no-such-scope'] }),
    ledgerSkill('secret-contract', {
      ...{ requires_scopes: ['no-such-scope'], requires_contract: true, action: 'reconcile' },
    }),
    ledgerSkill('secret-preview', { state: 'preview' }),
    ledgerSkill('secret-removed', { requires_scopes: [SCOPE, 'no-such-scope'] }),
    ledgerSkill('removed'),
  ]);
  journal = join(deployed.folder, 'journal');
  service = await startTestService(deployed);
  finance = await registerFinance(service);
  const operator = await Operator.of(service, FINANCE);
  for (const id of ['removed', 'secret-removed']) {
    await operator.become(id, { state: 'deprecated', replacement: 'lookup' });
    await operator.become(id, { state: 'removed' });
  }
});

afterAll(async () => {
  await service.dispose();
  await backend.stop();
});

/** A caller without any contract. */
async function stranger(): Promise<AgentClient> {
  return callerFor(service, await newPartner(service));
}

/** All that tells two answers apart, but for what differs between any two. */
function shownBy({ status, headers, text }: Reply): unknown {
  const telling = [...headers].filter(([name]) => !['date', 'x-correlation-id'].includes(name));
  return { status, headers: telling, text };
}

describe.each(BINDINGS)(
  'a skill that the caller may not see is one that there is not ($name)',
  (binding) => {
    const HIDDEN = [
      ...['secret-scopes', 'secret-tenant', 'secret-internal', 'secret-contract'],
      ...['secret-preview', 'secret-removed'],
    ];
    const WAYS: readonly CallMore[] = [
      {},
      { payload: { idempotencyKey: 'hidden' } },
      { payload: { expectedOutputMode: 'application/x-nothing' } },
      { configuration: { acceptedOutputModes: ['image/png'] } },
      { contract: { interactionId: '0195c6a0-0000-7000-8000-000000000001' } },
    ];

    it.each(HIDDEN)('%s, to the byte, however it is called', async (skillId) => {
      const client = (await stranger()).over(binding);
      for (const more of WAYS) {
        for (const args of [{ invoice: 'INV-1' }, { wrong: true }]) {
          for (const operation of ['SendMessage', 'SendStreamingMessage'] as const) {
            const ask = (id: string) => client.send(invoking(id, args, more), operation);
            const hidden = await ask(skillId);
            expect(outcomeOf(hidden)).toBe('SKILL_NOT_FOUND');
            expect(shownBy(hidden)).toEqual(shownBy(await ask('nowhere')));
          }
        }
      }
    });

    it.each(HIDDEN)('%s, to the endpoint that explains', async (skillId) => {
      const client = await stranger();
      const [hidden, unknown] = [await client.explain(skillId), await client.explain('nowhere')];
      expect([hidden.status, hidden.body['code']]).toEqual([404, 'capability-not-found']);
      const told = ({ text }: { text: string }) => text.replace(/[0-9a-f-]{36}/g, '<id>');
      expect(told(hidden)).toBe(told(unknown));
    });

    it('a removed one names its replacement to who could use it', async () => {
      const reply = await (await stranger()).over(binding).invoke('removed', { invoice: 'INV-1' });
      expect(outcomeOf(reply)).toBe('SKILL_NOT_FOUND');
      expect(reply.error?.metadata['replacement']).toBe('lookup');
    });
  },
);

describe.each(BINDINGS)(
  'no refused direct invoke falls back to the model path ($name)',
  (binding) => {
    interface Refused {
      readonly given: string;
      readonly outcome: string;
      readonly call: () => Promise<readonly [AgentClient, JsonObject]>;
    }

    /** A message that is also a script for `play`, which leaves a journal when it runs. */
    function tempting(skillId: string, args: JsonObject, more: CallMore = {}): JsonObject {
      const script = playing(['completed'], { journal })['message'] as { parts: JsonObject[] };
      const params = invoking(skillId, args, { ...more, message: { parts: script.parts } });
      return { ...params, metadata: { skillId: 'play' } };
    }

    const INVOICE = { invoice: 'INV-1' };
    const rows: readonly Refused[] = [
      {
        given: 'an unknown skill',
        outcome: 'SKILL_NOT_FOUND',
        call: async () => [await stranger(), tempting('nowhere', INVOICE)],
      },
      {
        given: 'a skill that is not direct',
        outcome: 'SKILL_NOT_BOUND',
        call: async () => [await stranger(), tempting('play', INVOICE)],
      },
      {
        given: 'RFC section 4, an argument too many, before the backend',
        outcome: 'INVALID_ARGUMENTS',
        call: async () => [await stranger(), tempting('lookup', { ...INVOICE, url: 'http://x/' })],
      },
      {
        given: 'RFC section 4, a caller that names a backend',
        outcome: 'INVALID_METADATA',
        call: async () => [
          await stranger(),
          tempting('lookup', INVOICE, { payload: { backendUrl: 'http://127.0.0.1:1/' } }),
        ],
      },
      {
        given: 'the contract of another pair',
        outcome: 'FORBIDDEN contract-not-found',
        call: async () => {
          const partner = await newPartner(service);
          await agree(partner, finance);
          const { interactionId } = await agree(await newPartner(service), finance);
          const contract = { interactionId };
          return [await callerFor(service, partner), tempting('reconcile', INVOICE, { contract })];
        },
      },
      {
        given: 'an expired contract',
        outcome: 'FORBIDDEN contract-expired',
        call: async () => {
          const partner = await newPartner(service);
          const { interactionId } = await agree(partner, finance, {}, 500);
          await delay(520);
          const contract = { interactionId };
          return [await callerFor(service, partner), tempting('reconcile', INVOICE, { contract })];
        },
      },
      {
        given: 'a prohibited action',
        outcome: 'FORBIDDEN action-prohibited',
        call: async () => {
          const partner = await newPartner(service);
          await agree(partner, finance, { allowedActions: [], prohibitedActions: ['reconcile'] });
          return [await callerFor(service, partner), tempting('reconcile', INVOICE)];
        },
      },
      {
        given: 'a contract that is named in a form that there is not',
        outcome: 'CONTRACT_CLAIM_INVALID',
        call: async () => [
          await stranger(),
          tempting('lookup', INVOICE, { contract: { interactionId: 'x', more: 1 } }),
        ],
      },
      {
        given: 'RFC section 4, an output that violates its schema, after the backend',
        outcome: 'OUTPUT_INVALID',
        call: async () => {
          backend.replies.push((_, response) => {
            response.writeHead(200, { 'content-type': 'application/json' });
            response.end('{"for": 7}');
          });
          return [await stranger(), tempting('lookup', INVOICE)];
        },
      },
    ];

    it.each(rows)('$given: $outcome', async ({ outcome, call }) => {
      const runs = backend.received.length;
      const [client, params] = await call();
      const reply = await client.over(binding).send(params);
      expect(outcomeOf(reply)).toBe(outcome);
      expect(backend.received.length - runs).toBe(outcome === 'OUTPUT_INVALID' ? 1 : 0);
      await expectNothingElse(client);
    });

    it('`__proto__` among the arguments, as raw bytes', async () => {
      const client = await stranger();
      for (const name of ['__proto__', 'constructor', 'prototype']) {
        const params = JSON.stringify(tempting('lookup', { MARK: { polluted: true } }));
        const answer = await sendRaw(binding, client, params.replace('"MARK"', `"${name}"`));
        expect(answer).toMatch(/JSON_FORBIDDEN_NAME|SKILL_DIRECT_INVOKE_INVALID_ARGUMENTS/);
        expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
        await expectNothingElse(client);
      }
    });

    it('a name that stands twice, as raw bytes', async () => {
      const client = await stranger();
      const params = JSON.stringify(tempting('lookup', INVOICE));
      const twice = params.replace('"skillId":"lookup"', '"skillId":"lookup","skillId":"play"');
      expect(await sendRaw(binding, client, twice)).toContain('JSON_DUPLICATE_NAME');
      await expectNothingElse(client);
    });

    /** No script was played, and no task says that one was. */
    async function expectNothingElse(client: AgentClient): Promise<void> {
      expect(journalOf(journal)).toEqual([]);
      const { result } = await client.ask('ListTasks', {});
      const tasks = (result?.['tasks'] ?? []) as readonly JsonObject[];
      const states = tasks.map(({ status }) => (status as JsonObject)['state']);
      expect(states.filter((state) => state !== 'TASK_STATE_FAILED')).toEqual([]);
    }
  },
);

async function sendRaw(binding: Binding, { token }: AgentClient, params: string): Promise<string> {
  const isRpc = binding.name === 'JSON-RPC';
  const path = isRpc ? '' : '/message:send';
  const answer = await fetch(`${service.url}/a2a/${FINANCE}${path}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'a2a-version': '1.0',
      'a2a-extensions': URI,
      authorization: `Bearer ${String(token)}`,
    },
    body: isRpc ? `{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":${params}}` : params,
  });
  return answer.text();
}
