import { QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import type { Interaction } from '../domain/interaction.js';
import { interactionStream } from '../domain/stream.js';
import { InteractionExecution } from '../interaction-execution.js';
import { InteractionHead } from './interaction-head.js';

@QueryHandler(InteractionHead)
export class InteractionHeadHandler implements IQueryHandler<InteractionHead> {
  constructor(private readonly execution: InteractionExecution) {}

  async execute({ interactionId }: InteractionHead): Promise<Interaction | undefined> {
    return (await this.execution.repository.load(interactionStream(interactionId))).state;
  }
}
