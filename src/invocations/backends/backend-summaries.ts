import { DirectBackends } from '../../capabilities/queries/direct-backends.js';
import type { AgentId } from '../../kernel/ids.js';
import type { JsonObject } from '../../kernel/json.js';
import type { Backends } from '../commands/backends.js';

/** The summaries of the backends that are bound here. */
export class BackendSummaries extends DirectBackends {
  constructor(private readonly backends: Backends) {
    super();
  }

  override summaryOf(agentId: AgentId, handler: string): JsonObject | undefined {
    return this.backends.get(agentId, handler)?.summary;
  }
}
