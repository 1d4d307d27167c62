import { Inject } from '@nestjs/common';
import { QueryBus, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { AgentHeads } from '../../agents/queries/agent-heads.js';
import type { Config } from '../../config/config.js';
import { CLOCK, CONFIG } from '../../config/tokens.js';
import { areComparable } from '../../event-store/log-reaches.js';
import type { EventStore } from '../../event-store/port.js';
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
import { effectiveAt } from '../domain/expiry.js';
import type { Interaction } from '../domain/interaction.js';
import { interactionStream } from '../domain/stream.js';
import { DueExpiries } from '../due-expiries.js';
import { InteractionExecution } from '../interaction-execution.js';
import { ReadInteraction, type AsOf, type InteractionReading } from './read-interaction.js';
import { mayRead } from '../domain/visibility.js';

@QueryHandler(ReadInteraction)
export class ReadInteractionHandler implements IQueryHandler<ReadInteraction> {
  constructor(
    private readonly execution: InteractionExecution,
    private readonly expiries: DueExpiries,
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
    const fault = await this.#faultOf(asOf);
    if (fault !== undefined) return err(fault);
    const stream = interactionStream(interactionId);
    const { state: head } = await this.execution.repository.load(stream);
    if (head === undefined) return err({ code: 'interaction-not-found' });
    const parties = await this.queries.execute(new AgentHeads(head.parties));
    if (!mayRead(caller, parties.values())) return err({ code: 'interaction-not-found' });
    const interaction = await this.#stateOf(stream, head, asOf);
    return interaction === undefined
      ? err({ code: 'interaction-not-found' })
      : ok({ interaction, parties });
  }

  /** A client's clock may be ahead of ours as far as a signer's may; it then sees our present. */
  async #faultOf(asOf: AsOf): Promise<Rejection | undefined> {
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

  /** Undefined when it did not exist yet. */
  async #stateOf(stream: string, head: Interaction, asOf: AsOf): Promise<Interaction | undefined> {
    const { repository } = this.execution;
    const now = timestampOf(this.clock());
    switch (asOf.kind) {
      case 'now':
        return effectiveAt(await this.expiries.settled(head, now), now);
      case 'time': {
        const moment = earliest(asOf.time, now);
        // First: what is folded then lacks nothing that could come before the expiry.
        await this.expiries.settled(head, moment);
        const { state } = await repository.loadWhile(
          stream,
          ({ recordedAt }) => !isBefore(asOf.time, recordedAt),
        );
        return state && effectiveAt(state, moment);
      }
      case 'position': {
        const { state } = await repository.loadWhile(
          stream,
          ({ position }) => position <= asOf.position,
        );
        return state;
      }
    }
  }
}

const TO_COME: Rejection = {
  code: 'request-invalid',
  faults: [{ pointer: '/at', detail: 'must not lie in the future' }],
};
