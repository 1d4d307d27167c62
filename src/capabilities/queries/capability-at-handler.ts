import { QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { isBefore } from '../../kernel/timestamp.js';
import { CapabilityExecution } from '../capability-execution.js';
import type { Capability } from '../domain/capability.js';
import { capabilityStream } from '../domain/stream.js';
import { CapabilityAt } from './capability-at.js';

@QueryHandler(CapabilityAt)
export class CapabilityAtHandler implements IQueryHandler<CapabilityAt> {
  constructor(private readonly execution: CapabilityExecution) {}

  async execute({ agentId, skillId, moment }: CapabilityAt): Promise<Capability | undefined> {
    const past = await this.execution.repository.loadWhile(
      capabilityStream(agentId, skillId),
      ({ recordedAt }) => !isBefore(moment, recordedAt),
    );
    return past.state ?? undefined;
  }
}
