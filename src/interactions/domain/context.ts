import type { Agent } from '../../agents/domain/agent.js';
import type { Caller } from '../../kernel/caller.js';
import type {
  PlatformAttestation,
  UnattestedRevision,
} from '../../kernel/federated-interaction.js';
import type { AgentId, Uuid } from '../../kernel/ids.js';
import type { Timestamp } from '../../kernel/timestamp.js';

/** Everything that a decision needs and that is not the interaction itself. */
export interface InteractionContext {
  /**
   * The moment at which the events will be recorded: max(clock, the stream's last event, the last event
   * of every stream that the decision rests on).
   */
  readonly now: Timestamp;
  /** How far a signed moment may lie from `now`, in milliseconds. */
  readonly leewayMs: number;
  /** The public base URL, without a trailing slash; recorded with a proposal. */
  readonly audience: string;
  /** Who calls; undefined for a process of the service's own. */
  readonly caller: Caller | undefined;
  /** The heads of the parties' streams; an unknown agent is absent. */
  readonly agents: ReadonlyMap<AgentId, Agent>;
  readonly newId: () => Uuid;
  readonly attest: (revision: UnattestedRevision) => PlatformAttestation;
}
