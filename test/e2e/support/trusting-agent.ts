import { RestAgent } from '../../agents/support/rest-agent.js';
import { aMoment } from '../../support/eventually.js';
import type { TestService } from '../../support/service.js';
import { Negotiator } from './negotiator.js';

/** An agent whose policy accepts what `contractOf` proposes. */
export async function registerTrusting(service: TestService): Promise<Negotiator> {
  const trusting = await Negotiator.register(service, 'trusting');
  const { key, owner, tenant } = trusting;
  if (key === null) throw new Error('it has a key');
  const token = { principal: owner, tenant, scopes: ['agents:write'] };
  const agent = new RestAgent(service, trusting.agentId);
  const methods = ['ed25519', 'policy_auto_accept'];
  const allow = { change: 'change-methods', expectedRevision: 0, methods };
  const policy = {
    taskCategories: ['translation'],
    allowedActions: ['translate'],
    maxRetentionDays: 30,
  };
  const change = { change: 'change-policy', expectedRevision: 1, policy };
  for (const [path, body] of [
    ['/methods', allow],
    ['/policy', change],
  ] as const) {
    const answer = await agent.change('PUT', path, body, key, token);
    if (answer.status !== 200) throw new Error(answer.text);
  }
  // A policy counts for what is proposed after it.
  await aMoment(5);
  return trusting;
}
