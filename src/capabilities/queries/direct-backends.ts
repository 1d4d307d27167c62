import type { AgentId } from '../../kernel/ids.js';
import type { JsonObject } from '../../kernel/json.js';

/** What this deployment's backends of direct invocations say of themselves. */
export abstract class DirectBackends {
  /**
   * What cards may say of the backend that is bound to a handler of an agent; undefined when none is
   * bound here.
   */
  abstract summaryOf(agentId: AgentId, handler: string): JsonObject | undefined;
}
