import { Inject, Injectable } from '@nestjs/common';
import { CLOCK, RANDOM_BYTES } from '../config/tokens.js';
import {
  CommandExecution,
  type CommandEnvelope,
  type RememberedStream,
  type RandomBytes,
  type Stored,
} from '../event-store/command-execution.js';
import type { KeyStore } from '../event-store/key-store.js';
import type { EventStore } from '../event-store/port.js';
import { EVENT_STORE, KEY_STORE } from '../event-store/tokens.js';
import type { Uuid } from '../kernel/ids.js';
import type { Rejection } from '../kernel/rejection.js';
import { ok, type Result } from '../kernel/result.js';
import type { Clock } from '../kernel/timestamp.js';
import {
  invocationDecider,
  type InvocationCommand,
  type InvocationContext,
} from './domain/decider.js';
import type { InvocationEvent } from './domain/events.js';
import { isInvocation, type InvocationState } from './domain/invocation.js';
import { invocationStream } from './domain/stream.js';
import { INVOCATION_EVENT_TYPES } from './event-types.js';

/** Those of an approval are erased with its contract, of which its call's stream is not told. */
function holdsNoTexts(state: InvocationState): boolean {
  return !isInvocation(state) || state.approval === null;
}

/** The way of invocations to the log. */
@Injectable()
export class InvocationExecution extends CommandExecution<
  InvocationState,
  InvocationCommand,
  InvocationEvent,
  InvocationContext
> {
  constructor(
    @Inject(EVENT_STORE) store: EventStore,
    @Inject(KEY_STORE) keys: KeyStore,
    @Inject(CLOCK) clock: Clock,
    @Inject(RANDOM_BYTES) random: RandomBytes,
  ) {
    super(store, keys, invocationDecider, INVOCATION_EVENT_TYPES, clock, random, {
      mayRemember: holdsNoTexts,
    });
  }

  /**
   * Stores what is said of a call, and is no decision of an approver.
   * @param basedOn heads that it was read from: stream name to revision
   * @param guess what its stream is believed to hold; undefined: it is read
   */
  async record(
    invocationId: Uuid,
    command: InvocationCommand,
    envelope: CommandEnvelope,
    basedOn: Readonly<Record<string, number>>,
    guess?: RememberedStream<InvocationState>,
  ): Promise<Result<Stored<InvocationState>, Rejection>> {
    return await this.store(
      invocationStream(invocationId),
      command,
      envelope,
      async (_, now) => ok({ context: { now: now(), deciding: null }, basedOn }),
      guess,
    );
  }
}
