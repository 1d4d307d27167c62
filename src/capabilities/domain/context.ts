import type { Caller } from '../../kernel/caller.js';
import type { JsonObject } from '../../kernel/json.js';
import type { Timestamp } from '../../kernel/timestamp.js';
import type { Capability } from './capability.js';

/** Everything that a decision about a capability needs and that is not the capability itself. */
export interface CapabilityContext {
  /** The moment at which the events will be recorded: max(clock, the stream's last event). */
  readonly now: Timestamp;
  /** Null: the deployment itself, from its manifest files. */
  readonly caller: Caller | null;
  /** Tenant of the hosted agent; null when this deployment hosts no such agent. */
  readonly agentTenant: string | null;
  /**
   * The replacement that is to be named, what replaces that, and so on until one has none or leads
   * back; each as at its head.
   */
  readonly replacements: readonly Capability[];
  /** Those whose replacement this one is, each as at its head. */
  readonly predecessors: readonly Capability[];
  /** When it was last called, as far as the usage view knows; null: never. */
  readonly lastCall: Timestamp | null;
  /** What the backend says of itself that is bound to the manifest's handler; null: none is, here. */
  readonly backendSummary: JsonObject | null;
}
