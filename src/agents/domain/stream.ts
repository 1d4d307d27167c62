import type { AgentId } from '../../kernel/ids.js';

/** Prefix of the streams of all agents. */
export const AGENT_STREAM_PREFIX = 'agent-';

/** The stream that holds one agent's events. */
export function agentStream(agentId: AgentId): string {
  return `${AGENT_STREAM_PREFIX}${agentId}`;
}
