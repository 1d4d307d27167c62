import { Inject } from '@nestjs/common';
import { QueryBus, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { AgentHeads } from '../../agents/queries/agent-heads.js';
import type { Config } from '../../config/config.js';
import { CLOCK, CONFIG } from '../../config/tokens.js';
import { areComparable } from '../../event-store/log-reaches.js';
import type { EventStore } from '../../event-store/port.js';
import type { Loaded } from '../../event-store/stream-repository.js';
import { EVENT_STORE } from '../../event-store/tokens.js';
import type { Rejection } from '../../kernel/rejection.js';
import { err, ok, type Result } from '../../kernel/result.js';
import {
  earliest,
  isBefore,
  millisecondsOf,
  timestampOf,
  type Clock,
} from '../../kernel/timestamp.js';
import { withoutTexts } from '../domain/evolve.js';
import { effectiveAt } from '../domain/expiry.js';
import type { Interaction } from '../domain/interaction.js';
import { interactionStream } from '../domain/stream.js';
import { InteractionExecution } from '../interaction-execution.js';
import { ReadInteraction, type AsOf, type InteractionReading } from './read-interaction.js';
import { mayRead } from '../domain/visibility.js';

@QueryHandler(ReadInteraction)
export class ReadInteractionHandler implements IQueryHandler<ReadInteraction> {
  constructor(
    private readonly execution: InteractionExecution,
    private readonly queries: QueryBus,
    @Inject(EVENT_STORE) private readonly store: EventStore,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  async execute({
    interactionId,
    caller,
    asOf,
  }: ReadInteraction): Promise<Result<InteractionReading, Rejection>> {
    const fault = await this.faultOf(asOf);
    if (fault !== undefined) return err(fault);
    const state = await this.load(interactionStream(interactionId), asOf);
    if (state === undefined) return err({ code: 'interaction-not-found' });
    const parties = await this.queries.execute(new AgentHeads(state.parties));
    if (!mayRead(caller, parties.values())) return err({ code: 'interaction-not-found' });
    return ok({ interaction: this.asShown(state, asOf), parties });
  }

  /** A client's clock may be ahead of ours as far as a signer's may; it then sees our present. */
  private async faultOf(asOf: AsOf): Promise<Rejection | undefined> {
    switch (asOf.kind) {
      case 'now':
        return undefined;
      case 'time': {
        const isToCome = millisecondsOf(asOf.time) > this.clock() + this.config.signingLeewayMs;
        return isToCome ? TO_COME : undefined;
      }
      case 'position': {
        const head = await this.store.head();
        if (!areComparable(asOf.position, head)) return { code: 'position-invalid' };
        return asOf.position > head ? TO_COME : undefined;
      }
    }
  }

  /** What is erased now is erased in every past state, even if a backup has brought back its key. */
  private async load(stream: string, asOf: AsOf): Promise<Interaction | undefined> {
    const { state } = await this.loadAs(stream, asOf);
    if (state === undefined || asOf.kind === 'now') return state;
    const { state: head } = await this.execution.repository.load(stream);
    const isErased = head !== undefined && head.erasure !== null;
    return isErased ? withoutTexts(state) : state;
  }

  private loadAs(stream: string, asOf: AsOf): Promise<Loaded<Interaction | undefined>> {
    const { repository } = this.execution;
    switch (asOf.kind) {
      case 'now':
        return repository.load(stream);
      case 'time':
        return repository.loadWhile(stream, ({ recordedAt }) => !isBefore(asOf.time, recordedAt));
      case 'position':
        return repository.loadWhile(stream, ({ position }) => position <= asOf.position);
    }
  }

  private asShown(interaction: Interaction, asOf: AsOf): Interaction {
    switch (asOf.kind) {
      case 'now':
        return effectiveAt(interaction, timestampOf(this.clock()));
      case 'time':
        return effectiveAt(interaction, earliest(asOf.time, timestampOf(this.clock())));
      case 'position':
        return interaction;
    }
  }
}

const TO_COME: Rejection = {
  code: 'request-invalid',
  faults: [{ pointer: '/at', detail: 'must not lie in the future' }],
};
