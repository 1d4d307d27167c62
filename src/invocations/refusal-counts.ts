import { Inject, Injectable } from '@nestjs/common';
import type { HealthSource, HealthStatus } from '../http/health/health-source.js';
import { HealthRegistry } from '../http/health/health-registry.js';
import { AUTHORIZATION_CODES, type AuthorizationCode } from './domain/authorization.js';

/** How many calls this process refused since its start, by code: most refusals are no events. */
@Injectable()
export class RefusalCounts implements HealthSource {
  readonly name = 'refusals';
  readonly #counts = new Map<AuthorizationCode, number>();
  #recorded = 0;

  constructor(@Inject(HealthRegistry) health: Pick<HealthRegistry, 'add'>) {
    health.add(this);
  }

  /** @param isRecorded the log holds it, too */
  count(code: AuthorizationCode, isRecorded: boolean): void {
    this.#counts.set(code, (this.#counts.get(code) ?? 0) + 1);
    if (isRecorded) this.#recorded++;
  }

  /** A refusal is nothing unhealthy. */
  check(): HealthStatus {
    const codes = AUTHORIZATION_CODES.filter((code) => this.#counts.has(code));
    const byCode = Object.fromEntries(codes.map((code) => [code, this.#counts.get(code) ?? 0]));
    return { healthy: true, details: { recorded: this.#recorded, byCode } };
  }
}
