import { Inject, Injectable } from '@nestjs/common';
import type { HealthSource, HealthStatus } from '../http/health/health-source.js';
import { HealthRegistry } from '../http/health/health-registry.js';

/** How many calls this process refused since its start, by code: most refusals are no events. */
@Injectable()
export class RefusalCounts implements HealthSource {
  readonly name = 'refusals';
  readonly #counts = new Map<string, number>();
  #recorded = 0;

  constructor(@Inject(HealthRegistry) health: Pick<HealthRegistry, 'add'>) {
    health.add(this);
  }

  /**
   * @param code one of few, which are written down in the code
   * @param isRecorded the log holds it, too
   */
  count(code: string, isRecorded: boolean): void {
    this.#counts.set(code, (this.#counts.get(code) ?? 0) + 1);
    if (isRecorded) this.#recorded++;
  }

  /** A refusal is nothing unhealthy. */
  check(): HealthStatus {
    const byCode = Object.fromEntries([...this.#counts].sort(([a], [b]) => (a < b ? -1 : 1)));
    return { healthy: true, details: { recorded: this.#recorded, byCode } };
  }
}
