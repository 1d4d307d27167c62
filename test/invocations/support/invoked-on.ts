import type { JsonObject } from '../../../src/kernel/json.js';
import type { CapabilityChanges } from '../../capabilities/support/capabilities.js';

/** It is invoked directly, on a backend that says this of itself. */
export function invokedOn(backend: JsonObject): NonNullable<CapabilityChanges['directInvoke']> {
  return { inputSchema: {}, outputSchema: {}, backend, allowUnauthenticated: false };
}
