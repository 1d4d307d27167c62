import type { JsonObject } from '../../kernel/json.js';

/** How one part of the service fares right now. */
export interface HealthStatus {
  /** False takes the node out of the load balancer: `/health/ready` answers 503. */
  readonly healthy: boolean;
  /** For operators only; never secrets, never texts of tenants. */
  readonly details: JsonObject;
}

/** A part that can tell how it fares. `check` must end soon; a throw counts as unhealthy. */
export interface HealthSource {
  /** Kebab case, unique. */
  readonly name: string;
  check(): Promise<HealthStatus> | HealthStatus;
}
