import { Query } from '@nestjs/cqrs';
import type { AgentId, SkillId } from '../../kernel/ids.js';
import type { Timestamp } from '../../kernel/timestamp.js';
import type { Capability } from '../domain/capability.js';

/**
 * The capability as it was at a moment: fold(recordedAt ≤ moment); undefined when it was not registered
 * then. For other contexts too; never for showing to a caller.
 */
export class CapabilityAt extends Query<Capability | undefined> {
  constructor(
    readonly agentId: AgentId,
    readonly skillId: SkillId,
    readonly moment: Timestamp,
  ) {
    super();
  }
}
