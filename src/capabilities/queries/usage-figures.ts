import type { Position } from '../../event-store/port.js';
import type { AgentId, SkillId } from '../../kernel/ids.js';
import type { Rejection } from '../../kernel/rejection.js';
import type { Result } from '../../kernel/result.js';
import type { Timestamp } from '../../kernel/timestamp.js';

/** How a capability is used. */
export interface CapabilityUsage {
  /** When a call was last admitted; null: never. */
  readonly lastCall: Timestamp | null;
  /** Days (UTC, `2030-01-31`) of the last 30 with calls, oldest first. */
  readonly days: readonly { readonly day: string; readonly calls: number }[];
}

/** What this context asks of whoever counts calls. */
export abstract class UsageFigures {
  /**
   * Counts everything up to a position of the log. Refuses with `projection-behind` when the view
   * does not get there in time.
   */
  abstract of(
    agentId: AgentId,
    skillId: SkillId,
    position: Position,
  ): Promise<Result<CapabilityUsage, Rejection>>;
}
