import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { JsonObject } from '../../src/kernel/json.js';
import { jsonRpc } from '../a2a/transports/support/bindings.js';
import { DIRECT_URI as URI } from '../capabilities/support/extensions.js';
import { startTestService, type InProcessService } from '../support/service.js';
import { CALCULATOR, CALCULATOR_SKILLS, calculatorDeployment } from './support/calculator.js';
import { AgentClient, outcomeOf } from './support/direct-calls.js';
import { SUM_DIRECT } from './support/sum.js';

interface Card {
  readonly capabilities: { readonly extensions?: readonly JsonObject[] };
  readonly skills: readonly (JsonObject & { readonly id: string })[];
}

let service: InProcessService;
let twin: InProcessService;

beforeAll(async () => {
  service = await startTestService(await calculatorDeployment());
  twin = await startTestService(await calculatorDeployment({ DIRECT_INVOKE: 'off' }));
});

afterAll(async () => {
  await Promise.all([service.dispose(), twin.dispose()]);
});

const ALL = CALCULATOR_SKILLS.map(({ id }) => String(id));

async function publicCard(at: InProcessService): Promise<Card> {
  const path = `/a2a/${CALCULATOR}/.well-known/agent-card.json`;
  return (await at.call('GET', path)).body as unknown as Card;
}

async function extendedCard(client: AgentClient): Promise<Card> {
  return (await client.ask('GetExtendedAgentCard', {})).result as unknown as Card;
}

async function clientWith(tenant: string, ...scopes: readonly string[]): Promise<AgentClient> {
  const token = await service.token({ principal: 'bob', tenant, scopes });
  return new AgentClient(service, CALCULATOR, token, jsonRpc);
}

function declarationIn({ capabilities }: Card): JsonObject | undefined {
  return capabilities.extensions?.find(({ uri }) => uri === URI);
}

function bindingsIn(card: Card): Readonly<Record<string, JsonObject>> {
  const params = declarationIn(card)?.['params'] as JsonObject | undefined;
  return (params?.['skills'] ?? {}) as Readonly<Record<string, JsonObject>>;
}

/** What a client confirms, in the letters of the RFC, before it invokes a skill directly. */
function mayInvoke(card: Card, skillId: string): boolean {
  const isDeclared = declarationIn(card) !== undefined; // (a)
  const binding = Object.hasOwn(bindingsIn(card), skillId) ? bindingsIn(card)[skillId] : undefined; // (b)
  const isSupported = binding?.['directInvokeSupported'] === true; // (c)
  return isDeclared && isSupported && card.skills.some(({ id }) => id === skillId); // (d)
}

describe('RFC section 3.4, what the card declares', () => {
  it('is one extension that binds skills to schemas, a public summary and no fallback', async () => {
    const card = await publicCard(service);
    const declared = card.capabilities.extensions?.filter(({ uri }) => uri === URI);
    expect(declared).toHaveLength(1);
    expect(declared?.[0]?.['required'] ?? false).toBe(false);
    expect(bindingsIn(card)['calculate_sum']).toEqual({
      inputSchema: SUM_DIRECT['input_schema'],
      outputSchema: SUM_DIRECT['output_schema'],
      directInvokeSupported: true,
      bypassModel: true,
      backend: SUM_DIRECT['backend'],
      fallback: 'none',
    });
  });

  it.each([
    ['the public card', async () => publicCard(service)],
    ['somebody’s', async () => extendedCard(await clientWith('tenant'))],
    ['an entitled caller’s', async () => extendedCard(await clientWith('tenant', 'ledger'))],
    ['a tenant’s', async () => extendedCard(await clientWith('insiders'))],
  ])('%s: every skill in it that has a backend may be confirmed, and no other', async (_, read) => {
    const card = await read();
    const shown = card.skills.map(({ id }) => id);
    expect(Object.keys(bindingsIn(card)).filter((id) => !shown.includes(id))).toEqual([]);
    const direct = ALL.filter((id) => shown.includes(id) && !['play', 'unbound'].includes(id));
    expect(ALL.filter((id) => mayInvoke(card, id))).toEqual(direct);
    for (const id of ALL.filter((each) => !shown.includes(each))) {
      expect(JSON.stringify(card)).not.toContain(id);
    }
  });

  it('shows each caller what is theirs', async () => {
    const theirs = async (client: AgentClient) => {
      const card = await extendedCard(client);
      return ['restricted', 'for-insiders', 'internal'].filter((id) => mayInvoke(card, id));
    };
    const clients = [
      await clientWith('tenant'),
      await clientWith('tenant', 'ledger'),
      await clientWith('insiders', 'ledger'),
    ];
    expect(await Promise.all(clients.map(theirs))).toEqual([
      [],
      ['restricted'],
      ['restricted', 'for-insiders'],
    ]);
  });

  it('is true: what a card confirms can be called with arguments that fit its schema', async () => {
    const client = await clientWith('insiders', 'ledger');
    const card = await extendedCard(client);
    const told = new Map<string, string>();
    for (const id of ALL) told.set(id, outcomeOf(await client.invoke(id, { a: 1, b: 2 })));
    for (const [id, outcome] of told) {
      const isFound = !/SKILL_NOT|BACKEND_NOT_FOUND/.test(outcome);
      expect([id, isFound]).toEqual([id, mayInvoke(card, id)]);
    }
  });

  it('says nothing of where backends are (section 4)', async () => {
    const card = JSON.stringify(await extendedCard(await clientWith('insiders', 'ledger')));
    for (const secret of ['127.0.0.1:1', 'e2e.sum', 'e2e.nowhere', 'handler', 'requires_scopes']) {
      expect(card).not.toContain(secret);
    }
  });
});

describe('RFC section 6, what the card adds', () => {
  it('is nothing but that extension: neither a member of a skill nor another interface', async () => {
    const here = await publicCard(service);
    const there = await publicCard(twin);
    const extensions = here.capabilities.extensions?.filter(({ uri }) => uri !== URI);
    expect(declarationIn(there)).toBeUndefined();
    const { signatures: _, ...card } = here as Card & JsonObject;
    const { signatures: __, ...plain } = there as Card & JsonObject;
    expect({ ...card, capabilities: { ...card.capabilities, extensions } }).toEqual(plain);
  });
});
