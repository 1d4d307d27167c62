import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { FederatedInteraction } from '../../src/kernel/federated-interaction.js';
import type { JsonObject } from '../../src/kernel/json.js';
import { BINDINGS } from '../a2a/transports/support/bindings.js';
import { AUDIENCE } from '../invocations/backends/support/calls.js';
import type { SampleBackend } from '../invocations/backends/support/sample-backend.js';
import { startTestService, type InProcessService } from '../support/service.js';
import { outcomeOf, type AgentClient } from './support/direct-calls.js';
import {
  agree,
  callerFor,
  contractSkill,
  financeDeployment,
  ledgerSkill,
  newPartner,
  registerFinance,
  startBackend,
  TERMS,
} from './support/finance.js';
import { contractOf, documentOf, inFuture, newest, type Negotiator } from './support/negotiator.js';

let service: InProcessService;
let backend: SampleBackend;
let finance: Negotiator;

beforeAll(async () => {
  backend = await startBackend(() => service);
  const schemas = ledgerSkill('any')['direct_invoke'] as JsonObject;
  service = await startTestService(
    await financeDeployment(
      backend,
      [
        contractSkill('reconcile'),
        contractSkill('audit', { callers: 'any-party' }),
        contractSkill('by-another-agent', {
          handler: 'peer',
          skill: { outputModes: ['application/json'] },
          direct_invoke: { ...schemas, backend: { type: 'a2a', name: 'Auditor' } },
        }),
      ],
      {
        backends: {
          peer: { kind: 'a2a', name: 'Auditor', url: backend.url('/a2a'), audience: AUDIENCE },
        },
      },
    ),
  );
  finance = await registerFinance(service);
});

afterAll(async () => {
  await service.dispose();
  await backend.stop();
});

const GRANTED = 'granted';
const SKILL = 'reconcile';

/** What a message names: an interaction, and the terms if it says so. */
const naming = ({ interactionId }: FederatedInteraction, termsHash?: string): JsonObject => ({
  interactionId,
  ...(termsHash === undefined ? {} : { termsHash }),
});

interface Arranged {
  readonly skillId?: string;
  readonly named?: JsonObject;
  readonly caller?: AgentClient;
}

interface Row {
  readonly given: string;
  readonly expected: string;
  readonly arrange: (partner: Negotiator) => Promise<Arranged | undefined>;
}

/** One row: what was negotiated, and what a call is then told by everything that decides. */
const row = (given: string, expected: string, arrange: Row['arrange']): Row => ({
  given,
  expected,
  arrange,
});

const SOON_MS = 700;

async function soonOver(): Promise<void> {
  await delay(SOON_MS + 20);
}

const ROWS: readonly Row[] = [
  row('no contract', 'contract-required', async () => Promise.resolve(undefined)),
  row('a contract that allows it', GRANTED, async (partner) => {
    await agree(partner, finance);
  }),
  row('a contract that allows it, named with its terms', GRANTED, async (partner) => {
    const document = await agree(partner, finance);
    return { named: naming(document, document.termsHash) };
  }),
  row('a proposal that nobody accepted', 'contract-required', async (partner) => {
    await proposed(partner);
  }),
  row('such a proposal, named', 'contract-not-in-force', async (partner) => ({
    named: naming(await proposed(partner)),
  })),
  row('the action among the prohibited ones', 'action-prohibited', async (partner) => {
    await agree(partner, finance, { allowedActions: [], prohibitedActions: [SKILL] });
  }),
  row('a second contract that prohibits it', 'action-prohibited', async (partner) => {
    await agree(partner, finance);
    await agree(partner, finance, { allowedActions: [], prohibitedActions: [SKILL] });
  }),
  row('… the first one named', 'action-prohibited', async (partner) => {
    const first = await agree(partner, finance);
    await agree(finance, partner, { allowedActions: [], prohibitedActions: [SKILL] });
    return { named: naming(first, first.termsHash) };
  }),
  row('prohibited data', 'data-prohibited', async (partner) => {
    await agree(partner, finance, { allowedData: [], prohibitedData: ['invoices'] });
  }),
  row('a prohibition in prose', 'prohibition-unclear', async (partner) => {
    await agree(partner, finance, { prohibitedActions: ['Anything that moves money'] });
  }),
  row('a prohibition of something else', GRANTED, async (partner) => {
    await agree(partner, finance, { prohibitedActions: ['pay'], prohibitedData: ['payroll'] });
  }),
  row('another action allowed', 'action-not-allowed', async (partner) => {
    await agree(partner, finance, { allowedActions: ['pay'] });
  }),
  row('other data allowed', 'data-not-allowed', async (partner) => {
    await agree(partner, finance, { allowedData: ['payroll'] });
  }),
  row('a skill that another agent carries out', 'delegation-not-allowed', async (partner) => {
    await agree(partner, finance, { delegationRules: ['auditor', 'Ask the Auditor'] });
    return { skillId: 'by-another-agent' };
  }),
  row('a deadline that has passed', 'deadline-passed', async (partner) => {
    await agree(partner, finance, { deadline: inFuture(SOON_MS) });
    await soonOver();
  }),
  row('a contract that has expired', 'contract-required', async (partner) => {
    await agree(partner, finance, {}, SOON_MS);
    await soonOver();
  }),
  row('one that has expired, named', 'contract-expired', async (partner) => {
    const document = await agree(partner, finance, {}, SOON_MS);
    await soonOver();
    return { named: naming(document) };
  }),
  row('a cancelled contract', 'contract-required', async (partner) => {
    await cancelled(partner);
  }),
  row('a cancelled contract, named', 'contract-ended', async (partner) => ({
    named: naming(await cancelled(partner)),
  })),
  row('a completed contract', 'contract-required', async (partner) => {
    await completed(partner);
  }),
  row('a completed contract, named', 'contract-ended', async (partner) => ({
    named: naming(await completed(partner)),
  })),
  row('an amendment that only one has signed', GRANTED, async (partner) => {
    const document = await agree(partner, finance);
    documentOf(await partner.revise(document, { ...document.contract, allowedActions: ['pay'] }));
  }),
  row('terms that were amended to allow less', 'action-not-allowed', async (partner) => {
    await amended(partner, { allowedActions: ['pay'] });
  }),
  row('terms that were amended, the old ones named', 'terms-superseded', async (partner) => {
    const { first, after } = await amended(partner, { allowedData: ['invoices', 'payroll'] });
    return { named: naming(after, first.termsHash) };
  }),
  row('terms that were amended, the new ones named', GRANTED, async (partner) => {
    const { after } = await amended(partner, { allowedData: ['invoices', 'payroll'] });
    return { named: naming(after, newest(after).termsHash) };
  }),
  row(
    'a contract of which the caller is not the initiator',
    'caller-not-initiator',
    async (partner) => {
      await agree(finance, partner);
    },
  ),
  row('the same, and a skill that any party may call', GRANTED, async (partner) => {
    await agree(finance, partner);
    return { skillId: 'audit' };
  }),
  row('two contracts that allow it', 'contract-ambiguous', async (partner) => {
    await agree(partner, finance);
    await agree(partner, finance);
  }),
  row('two contracts that allow it, one named', GRANTED, async (partner) => {
    await agree(partner, finance);
    return { named: naming(await agree(partner, finance)) };
  }),
  row('the contract of another pair, named', 'contract-not-found', async (partner) => {
    await agree(partner, finance);
    return { named: naming(await agree(await newPartner(service), finance)) };
  }),
  row('a contract that nobody ever heard of, named', 'contract-not-found', async (partner) => {
    await agree(partner, finance);
    return { named: { interactionId: '0195c6a0-0000-7000-8000-000000000001' } };
  }),
  row('a token that speaks for no agent', 'agent-required', async (partner) => {
    await agree(partner, finance);
    const { agent: _, ...runtimeToken } = partner.runtimeToken;
    return { caller: await callerFor(service, { runtimeToken }) };
  }),
  row('a token of another tenant that names the agent', 'agent-not-acting', async (partner) => {
    await agree(partner, finance);
    return { caller: await callerFor(service, partner, { tenant: 'elsewhere' }) };
  }),
  row(
    'a token that names an agent which is not registered',
    'agent-not-acting',
    async (partner) => {
      await agree(partner, finance);
      return { caller: await callerFor(service, partner, { agent: 'nobody-knows' }) };
    },
  ),
];

describe('a call under a negotiated contract: enforcement and explanation are one decision', () => {
  it.each(ROWS)('$given: $expected', async ({ expected, arrange }) => {
    const partner = await newPartner(service);
    const { skillId = SKILL, named, caller: other } = (await arrange(partner)) ?? {};
    const caller = other ?? (await callerFor(service, partner));
    const runs = backend.received.length;
    const contract = named === undefined ? {} : { contract: named };

    const { body } = await caller.explain(skillId, named);
    expect(body['decision'] === 'grant' ? GRANTED : body['rule']).toBe(expected);

    const isGranted = expected === GRANTED;
    for (const binding of BINDINGS) {
      const client = caller.over(binding);
      const routed = await client.route(skillId, named);
      expect(outcomeOf(routed)).toBe(isGranted ? 'COMPLETED' : expected);
      const direct = await client.invoke(skillId, { invoice: 'INV-1' }, contract);
      expect(outcomeOf(direct)).toBe(isGranted ? 'COMPLETED' : `FORBIDDEN ${expected}`);
    }
    expect(backend.received.length - runs).toBe(isGranted ? BINDINGS.length : 0);
  });

  it('another agent is called where a delegation rule names it, and not once that is amended away', async () => {
    const partner = await newPartner(service);
    const document = await agree(partner, finance, { delegationRules: ['Auditor'] });
    const caller = await callerFor(service, partner);
    const call = async () => outcomeOf(await caller.invoke('by-another-agent', { invoice: 'I-1' }));
    expect(await call()).toBe('COMPLETED');
    expect(backend.received.at(-1)!.path).toBe('/a2a');
    const runs = backend.received.length;
    const revised = await partner.revise(document, { ...document.contract, delegationRules: [] });
    await finance.accept(documentOf(revised));
    expect(await call()).toBe('FORBIDDEN delegation-not-allowed');
    const { body } = await caller.explain('by-another-agent');
    expect(body).toMatchObject({ rule: 'delegation-not-allowed', entry: 'Auditor' });
    expect(backend.received).toHaveLength(runs);
  });

  it('a backend is told the contract of the call, and nobody’s own token', async () => {
    const partner = await newPartner(service);
    const document = await agree(partner, finance);
    const caller = await callerFor(service, partner);
    expect(outcomeOf(await caller.invoke(SKILL, { invoice: 'INV-2' }))).toBe('COMPLETED');
    const { claims, headers, body } = backend.received.at(-1)!;
    expect(claims).toMatchObject({
      sub: partner.client,
      act: { sub: 'finance' },
      tenant: partner.tenant,
      scope: 'recon.run',
      interaction_id: document.interactionId,
      terms_hash: document.termsHash,
    });
    expect(JSON.stringify([headers, body])).not.toContain(caller.token);
    expect(Number(claims.exp) - Number(claims.iat)).toBeLessThanOrEqual(60);
  });
});

async function proposed(partner: Negotiator): Promise<FederatedInteraction> {
  return documentOf(await partner.propose(contractOf([partner, finance], TERMS), finance));
}

async function cancelled(partner: Negotiator): Promise<FederatedInteraction> {
  return documentOf(await partner.cancel(await agree(partner, finance)));
}

async function completed(partner: Negotiator): Promise<FederatedInteraction> {
  const reported = documentOf(await partner.complete(await agree(partner, finance)));
  return documentOf(await finance.complete(reported));
}

async function amended(
  partner: Negotiator,
  terms: Partial<FederatedInteraction['contract']>,
): Promise<{ first: FederatedInteraction; after: FederatedInteraction }> {
  const first = await agree(partner, finance);
  const revised = documentOf(await partner.revise(first, { ...first.contract, ...terms }));
  return { first, after: documentOf(await finance.accept(revised)) };
}
