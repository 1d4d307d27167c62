import type { Contract, FederatedInteraction } from '../../../src/kernel/federated-interaction.js';
import type { JsonObject } from '../../../src/kernel/json.js';
import type { JSONWebKeySet } from 'jose';
import { SampleBackend } from '../../invocations/backends/support/sample-backend.js';
import { AUDIENCE } from '../../invocations/backends/support/calls.js';
import type { TestService, TokenOptions } from '../../support/service.js';
import { deployment, HOST_TENANT, scripted, type Deployment } from './deployment.js';
import { AgentClient } from './direct-calls.js';
import { contractOf, documentOf, HOUR, inFuture, Negotiator } from './negotiator.js';

/** The hosted agent for which the sample backend works. */
export const FINANCE = 'finance';

/** The scope that its skills, and the backend, ask for. */
export const SCOPE = 'recon.run';

/** Terms that allow the skill `reconcile`, and prohibit nothing. */
export const TERMS: Partial<Contract> = {
  allowedActions: ['reconcile'],
  prohibitedActions: [],
  allowedData: ['invoices'],
};

/** A skill of the sample backend for whoever has the scope; routed messages to it play a script. */
export function ledgerSkill(id: string, more: JsonObject = {}): JsonObject {
  return scripted(id, {
    visibility: 'extended',
    requires_scopes: [SCOPE],
    direct_invoke: {
      input_schema: {
        type: 'object',
        required: ['invoice'],
        properties: { invoice: { type: 'string' } },
        additionalProperties: false,
      },
      output_schema: {
        type: 'object',
        required: ['for', 'arguments'],
        properties: { for: { type: 'string' }, arguments: { type: 'object' } },
      },
      backend: { type: 'http', name: 'ledger' },
    },
    ...more,
  });
}

/** The same, called under a contract alone. */
export function contractSkill(id: string, more: JsonObject = {}): JsonObject {
  return ledgerSkill(id, {
    requires_contract: true,
    action: 'reconcile',
    data: ['invoices'],
    ...more,
  });
}

/**
 * A backend on a port of its own that verifies tokens with the keys that the service publishes, which
 * it fetches once.
 */
export async function startBackend(service: () => TestService): Promise<SampleBackend> {
  let keys: JSONWebKeySet | undefined;
  return SampleBackend.start(async () => {
    if (keys === undefined) {
      const answer = await fetch(`${service().url}/.well-known/jwks.json`);
      keys = (await answer.json()) as JSONWebKeySet;
    }
    return keys;
  });
}

interface FinanceOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** What the file says of the backend besides where it is. */
  readonly binding?: JsonObject;
  /** Other backends. */
  readonly backends?: JsonObject;
}

/** The finance agent with these skills, each of them by that backend. */
export async function financeDeployment(
  backend: SampleBackend,
  skills: readonly JsonObject[],
  { env = {}, binding = {}, backends = {} }: FinanceOptions = {},
): Promise<Deployment> {
  const ledger = {
    kind: 'http',
    name: 'ledger',
    url: backend.url('/http'),
    audience: AUDIENCE,
    ...binding,
  };
  const tests = { VOCABULARY: 'pay, payroll, archive', ...env };
  return deployment({ [FINANCE]: skills }, tests, {
    backends: { 'e2e.scripted': ledger, ...backends },
  });
}

/** Registers the hosted agent as a party of contracts. */
export async function registerFinance(service: TestService): Promise<Negotiator> {
  return Negotiator.register(service, FINANCE, { tenant: HOST_TENANT });
}

/** A contract between two agents as both have signed it. */
export async function agree(
  initiator: Negotiator,
  responder: Negotiator,
  terms: Partial<Contract> = TERMS,
  expiresInMs = HOUR,
): Promise<FederatedInteraction> {
  const contract = contractOf([initiator, responder], { ...TERMS, ...terms });
  const proposal = initiator.proposal(contract, responder, inFuture(expiresInMs));
  const proposed = documentOf(await initiator.post('/v1/interactions', proposal));
  return documentOf(await responder.accept(proposed));
}

/** The agent as a caller of the hosted one, with the scope. */
export async function callerFor(
  service: TestService,
  { runtimeToken }: Pick<Negotiator, 'runtimeToken'>,
  more: TokenOptions = {},
): Promise<AgentClient> {
  const token = await service.token({ ...runtimeToken, scopes: [SCOPE], ...more });
  return new AgentClient(service, FINANCE, token);
}

let partners = 0;

/** A company of its own, so that no other test has contracts with it. */
export async function newPartner(service: TestService): Promise<Negotiator> {
  partners++;
  return Negotiator.register(service, `partner-${String(partners)}`);
}
