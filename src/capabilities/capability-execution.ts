import { Inject, Injectable } from '@nestjs/common';
import { CLOCK, RANDOM_BYTES } from '../config/tokens.js';
import { CommandExecution, type RandomBytes } from '../event-store/command-execution.js';
import type { KeyStore } from '../event-store/key-store.js';
import type { EventStore } from '../event-store/port.js';
import { EVENT_STORE, KEY_STORE } from '../event-store/tokens.js';
import type { AgentId, SkillId } from '../kernel/ids.js';
import type { Clock } from '../kernel/timestamp.js';
import type { Capability } from './domain/capability.js';
import type { CapabilityCommand } from './domain/commands.js';
import type { CapabilityContext } from './domain/context.js';
import { capabilityDecider } from './domain/decider.js';
import type { CapabilityEvent } from './domain/events.js';
import type { CapabilityState } from './domain/evolve.js';
import { capabilityStream } from './domain/stream.js';
import { CAPABILITY_EVENT_TYPES } from './event-types.js';

/** The way of capability commands to the log, with the cache of folds that all reads share. */
@Injectable()
export class CapabilityExecution extends CommandExecution<
  CapabilityState,
  CapabilityCommand,
  CapabilityEvent,
  CapabilityContext
> {
  constructor(
    @Inject(EVENT_STORE) store: EventStore,
    @Inject(KEY_STORE) keys: KeyStore,
    @Inject(CLOCK) clock: Clock,
    @Inject(RANDOM_BYTES) random: RandomBytes,
  ) {
    super(store, keys, capabilityDecider, CAPABILITY_EVENT_TYPES, clock, random, {
      headOf: (_, revision) => String(revision),
    });
  }

  /** The capability at the head of its stream; undefined when there is none. */
  async head(agentId: AgentId, skillId: SkillId): Promise<Capability | undefined> {
    const { state } = await this.repository.load(capabilityStream(agentId, skillId));
    return state ?? undefined;
  }
}
