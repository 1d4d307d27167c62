import type { AgentId } from '../../kernel/ids.js';

/** The stream that numbers the published skills of one hosted agent. */
export function cardStream(agentId: AgentId): string {
  return `card-${agentId}`;
}
