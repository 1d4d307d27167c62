import { Inject, Injectable } from '@nestjs/common';
import type { HostedAgent } from '../../config/hosted-agents.js';
import { StartupError } from '../../config/startup-error.js';
import { HOSTED_AGENTS } from '../../config/tokens.js';
import { REJECTIONS } from '../../kernel/rejection.js';
import { isSummaryTrue } from '../domain/backend-summary.js';
import { CapabilityRegistry } from '../queries/capability-registry.js';
import { DirectBackends } from '../queries/direct-backends.js';

/**
 * Compares what is registered with what is bound: a deployment's bindings may have changed since. The
 * registry's view must have reached the log's head.
 */
@Injectable()
export class RegisteredBackends {
  constructor(
    @Inject(HOSTED_AGENTS) private readonly hosted: readonly HostedAgent[],
    private readonly registry: CapabilityRegistry,
    private readonly backends: DirectBackends,
  ) {}

  /** @throws {StartupError} naming every skill whose card would say something else than its backend */
  check(): void {
    const faults = this.hosted.flatMap(({ agentId }) => this.#faultsOf(agentId));
    if (faults.length > 0) throw new StartupError(faults);
  }

  #faultsOf(agentId: HostedAgent['agentId']): readonly string[] {
    const code = 'backend-summary-mismatch';
    return [...this.registry.of(agentId).all.values()]
      .filter(({ manifest }) => manifest.state !== 'removed')
      .filter(({ manifest }) => {
        const bound = this.backends.summaryOf(agentId, manifest.handler) ?? null;
        return !isSummaryTrue(manifest, bound);
      })
      .map(({ manifest }) => `${agentId}/${manifest.id}: ${code}: ${REJECTIONS[code]}`);
  }
}
