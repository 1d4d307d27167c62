import { Inject, Injectable } from '@nestjs/common';
import { UsageFigures, type CapabilityUsage } from '../capabilities/queries/usage-figures.js';
import type { Config } from '../config/config.js';
import { CLOCK, CONFIG } from '../config/tokens.js';
import type { Position } from '../event-store/port.js';
import type { AgentId, SkillId } from '../kernel/ids.js';
import type { Rejection } from '../kernel/rejection.js';
import { err, ok, type Result } from '../kernel/result.js';
import { timestampOf, type Clock, type Timestamp } from '../kernel/timestamp.js';
import type { ReadModel } from '../projections/port.js';
import { READ_MODEL } from '../projections/tokens.js';
import { capabilityUsage, firstCountedDay } from './capability-usage.js';

/** Figures of usage, as the view `capability-usage` has them. */
@Injectable()
export class ProjectedUsage extends UsageFigures {
  constructor(
    @Inject(READ_MODEL) private readonly readModel: ReadModel,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(CONFIG) private readonly config: Pick<Config, 'readWaitMs'>,
  ) {
    super();
  }

  async of(
    agentId: AgentId,
    skillId: SkillId,
    position: Position,
  ): Promise<Result<CapabilityUsage, Rejection>> {
    const { readWaitMs } = this.config;
    if (!(await this.readModel.waitFor(position, readWaitMs, [capabilityUsage.name]))) {
      return err({ code: 'projection-behind' });
    }
    const last = this.readModel
      .prepare<{ last_call: Timestamp }>(
        'SELECT last_call FROM capability_usage WHERE agent_id = ? AND skill_id = ?',
      )
      .get(agentId, skillId);
    const days = this.readModel
      .prepare<{ day: string; calls: number }>(
        `SELECT day, calls FROM capability_usage_days
         WHERE agent_id = ? AND skill_id = ? AND day >= ? ORDER BY day`,
      )
      .all(agentId, skillId, firstCountedDay(timestampOf(this.clock())));
    return ok({ lastCall: last?.last_call ?? null, days });
  }
}
