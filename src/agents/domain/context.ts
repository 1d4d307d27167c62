import type { Caller } from '../../kernel/caller.js';
import type { Timestamp } from '../../kernel/timestamp.js';

/** Everything that a decision about an agent needs and that is not the agent itself. */
export interface AgentContext {
  /** The moment at which the events will be recorded: max(clock, the stream's last event). */
  readonly now: Timestamp;
  /** How far a signed moment may lie from `now`, in milliseconds. */
  readonly leewayMs: number;
  /** The public base URL, without a trailing slash. */
  readonly audience: string;
  readonly caller: Caller;
  /** The tenant for which this deployment hosts the agent; null: it hosts none of this id. */
  readonly hostTenant: string | null;
}
