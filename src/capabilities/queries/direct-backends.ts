import type { AgentId } from '../../kernel/ids.js';
import type { JsonObject } from '../../kernel/json.js';
import { isSummaryTrue } from '../domain/backend-summary.js';
import type { Manifest } from '../domain/manifest.js';

/** What this deployment's backends of direct invocations say of themselves. */
export abstract class DirectBackends {
  /**
   * What cards may say of the backend that is bound to a handler of an agent; undefined when none is
   * bound here.
   */
  abstract summaryOf(agentId: AgentId, handler: string): JsonObject | undefined;
}

/** Is a backend bound to a manifest's handler here, and the one of which the manifest speaks? */
export function boundIn(backends: DirectBackends): (manifest: Manifest) => boolean {
  return (manifest) => {
    const bound = backends.summaryOf(manifest.agentId, manifest.handler);
    return bound !== undefined && isSummaryTrue(manifest, bound);
  };
}
