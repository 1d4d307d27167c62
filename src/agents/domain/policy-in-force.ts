import type { Agent } from './agent.js';

/**
 * The policy by which the agent accepts now, with the revision that set it; undefined when there is
 * none. A stored policy is dead letter while the agent's methods do not allow auto-acceptance, and
 * for ever once the agent is retired.
 */
export function policyInForce(agent: Agent): NonNullable<Agent['policy']> | undefined {
  if (agent.retiredAt !== null || !agent.methods.includes('policy_auto_accept')) return undefined;
  return agent.policy ?? undefined;
}
