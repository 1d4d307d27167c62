import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { manifestDocument } from '../../src/capabilities/domain/manifest-document.js';
import type { Caller } from '../../src/kernel/caller.js';
import type { SkillId } from '../../src/kernel/ids.js';
import type { JsonObject } from '../../src/kernel/json.js';
import { BINDINGS, jsonRpc, saying, type Binding } from '../a2a/transports/support/bindings.js';
import {
  ENTITLEMENT_MATRIX,
  type EntitlementCase,
} from '../capabilities/domain/entitlement-matrix.js';
import { startTestService, type InProcessService } from '../support/service.js';
import { deployment, HOST_TENANT, scripted } from './support/deployment.js';
import { Operator } from './support/operator.js';

const AGENT = 'matrix';
const AT_ONCE = 8;

/** The rows about one capability; which of them it is says `id`. */
interface MatrixCapability {
  readonly id: string;
  readonly of: EntitlementCase['capability'];
  readonly rows: readonly EntitlementCase[];
}

/** `public ga asking for nothing: anonymous` is about `public ga asking for nothing`. */
const [capabilityOf, callerOf] = [0, 1].map(
  (index) =>
    ({ name }: EntitlementCase) =>
      name.split(': ')[index] ?? '',
) as [(row: EntitlementCase) => string, (row: EntitlementCase) => string];

const CAPABILITIES: readonly MatrixCapability[] = [...new Set(ENTITLEMENT_MATRIX.map(capabilityOf))]
  .map((name) => ENTITLEMENT_MATRIX.filter((row) => capabilityOf(row) === name))
  .map((rows, index) => ({ id: `skill-${String(index)}`, of: rows[0]!.capability, rows }));

const CALLERS = new Map(ENTITLEMENT_MATRIX.map((row) => [callerOf(row), row.caller]));

let service: InProcessService;
let operator: Operator;

beforeAll(async () => {
  // One that is nobody's, so that the agent is there.
  const nobodys = scripted('nobodys', { visibility: 'internal' });
  service = await startTestService(
    await deployment({ [AGENT]: [nobodys] }, { A2A_ANONYMOUS: 'secret' }),
  );
  operator = await Operator.of(service, AGENT);
  for (let done = 0; done < CAPABILITIES.length; done += AT_ONCE) {
    await Promise.all(CAPABILITIES.slice(done, done + AT_ONCE).map(bring));
  }
});

afterAll(async () => {
  await service.dispose();
});

/** Registers a capability and leads it to its state, as only REST can. */
async function bring({ id, of: { manifest, optedIn } }: MatrixCapability): Promise<void> {
  const named = { ...manifest, id: id as SkillId, handler: 'e2e.named' };
  const document = { ...manifestDocument(named), agentId: AGENT };
  if (optedIn.size === 0 && manifest.state !== 'removed') return operator.register(document);
  const begins = optedIn.size > 0 ? 'preview' : 'deprecated';
  await operator.register({ ...document, state: begins });
  for (const caller of optedIn) await operator.optIn(id, caller);
  const states = ['preview', 'ga', 'deprecated', 'removed'] as const;
  const [start, end] = [states.indexOf(begins), states.indexOf(manifest.state)];
  for (const state of states.slice(start + 1, end + 1)) await operator.become(id, { state });
}

async function tokenOf(caller: Caller | null): Promise<string | undefined> {
  if (caller === null) return undefined;
  const { tenant, agent, principal, allScopes } = caller;
  const scopes = [...allScopes];
  return service.token({ tenant, principal, scopes, ...(agent === null ? {} : { agent }) });
}

/** Ids of the capabilities that a caller is granted, or told that they were removed. */
function expected(caller: string, entitlement: 'granted' | 'removed'): readonly string[] {
  const isSo = (row: EntitlementCase) => callerOf(row) === caller && row.expected === entitlement;
  return CAPABILITIES.filter(({ rows }) => rows.some(isSo)).map(({ id }) => id);
}

const hinting = (skillId: string): JsonObject => saying('zzz', { metadata: { skillId } });

describe.each([...CALLERS].map(([who, caller]) => ({ who, caller })))(
  'a caller $who',
  ({ who, caller }) => {
    let token: string | undefined;

    beforeAll(async () => {
      token = await tokenOf(caller);
    });

    it('is shown exactly what it may use', async () => {
      const agentUrl = `${service.url}/a2a/${AGENT}`;
      const card = token
        ? (await jsonRpc.call(agentUrl, 'GetExtendedAgentCard', {}, { token })).result
        : (await service.call('GET', `/a2a/${AGENT}/.well-known/agent-card.json`)).body;
      const skills = card?.['skills'] as readonly { id: string }[];
      expect(skills.map(({ id }) => id).sort()).toEqual([...expected(who, 'granted')].sort());
    });

    it('reaches by a hint exactly what it may use', async () => {
      const routed: string[] = [];
      const removed: string[] = [];
      for (const { id } of CAPABILITIES) {
        const { body } = await service.call('POST', '/v1/routing/explain', {
          token: token ?? operator.token,
          body: {
            agent: AGENT,
            message: hinting(id)['message'],
            ...(token === undefined ? { anonymous: true } : {}),
          },
        });
        if (body['decision'] === 'routed') expect(body['skillId']).toBe(id);
        if (body['decision'] === 'routed') routed.push(id);
        if (body['decision'] === 'removed') removed.push(id);
      }
      expect(routed).toEqual(expected(who, 'granted'));
      expect(removed).toEqual(expected(who, 'removed'));
    });

    it.each(BINDINGS)('runs exactly what it may use ($name)', async (binding) => {
      const outcomes = await Promise.all(
        CAPABILITIES.map(async ({ id }) => [id, await outcomeOf(binding, id)] as const),
      );
      const idsOf = (outcome: string) =>
        outcomes.flatMap(([id, each]) => (each === outcome ? [id] : []));
      expect(idsOf('ran')).toEqual(expected(who, 'granted'));
      expect(idsOf('removed')).toEqual(expected(who, 'removed'));
      expect(idsOf('ran').length + idsOf('removed').length + idsOf('nothing').length).toBe(
        CAPABILITIES.length,
      );
    });

    async function outcomeOf(binding: Binding, id: string): Promise<string> {
      const agentUrl = `${service.url}/a2a/${AGENT}`;
      const ask = { token };
      const { result, error } = await binding.call(agentUrl, 'SendMessage', hinting(id), ask);
      if (error?.metadata['code'] === 'skill-removed') {
        return error.metadata['skillId'] === id ? 'removed' : error.message;
      }
      if (error !== undefined) return error.message;
      const { status } = result?.['task'] as { status: { state: string; message?: JsonObject } };
      if (status.state === 'TASK_STATE_INPUT_REQUIRED') return 'nothing';
      const ran = { state: 'TASK_STATE_COMPLETED', message: { parts: [{ text: `ran ${id}` }] } };
      expect(status).toMatchObject(ran);
      return 'ran';
    }
  },
);

it('is a matrix in which every caller but nobody has something of its own', () => {
  const granted = [...CALLERS.keys()].map((who) => expected(who, 'granted').length);
  expect(Math.min(...granted)).toBeGreaterThan(0);
  expect(new Set(granted).size).toBeGreaterThan(2);
  expect(HOST_TENANT).not.toBe('partner');
});
