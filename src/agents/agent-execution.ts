import { Inject, Injectable } from '@nestjs/common';
import { CLOCK, RANDOM_BYTES } from '../config/tokens.js';
import { CommandExecution, type RandomBytes } from '../event-store/command-execution.js';
import type { KeyStore } from '../event-store/key-store.js';
import type { EventStore } from '../event-store/port.js';
import { EVENT_STORE, KEY_STORE } from '../event-store/tokens.js';
import type { Clock } from '../kernel/timestamp.js';
import { agentDecider } from './domain/agent-decider.js';
import type { AgentCommand } from './domain/commands.js';
import type { AgentContext } from './domain/context.js';
import type { AgentEvent } from './domain/events.js';
import type { AgentState } from './domain/evolve.js';
import { AGENT_EVENT_TYPES } from './event-types.js';

/** The way of agent commands to the log, with the cache of folded agents that all reads share. */
@Injectable()
export class AgentExecution extends CommandExecution<
  AgentState,
  AgentCommand,
  AgentEvent,
  AgentContext
> {
  constructor(
    @Inject(EVENT_STORE) store: EventStore,
    @Inject(KEY_STORE) keys: KeyStore,
    @Inject(CLOCK) clock: Clock,
    @Inject(RANDOM_BYTES) random: RandomBytes,
  ) {
    super(store, keys, agentDecider, AGENT_EVENT_TYPES, clock, random);
  }
}
