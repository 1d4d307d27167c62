import type { Decider } from '../../kernel/event.js';
import type { CapabilityCommand } from './commands.js';
import type { CapabilityContext } from './context.js';
import { decideCapability } from './decide.js';
import type { CapabilityEvent } from './events.js';
import { evolveCapability, type CapabilityState } from './evolve.js';

/** The rules of one capability's life, from registration to its tombstone. */
export const capabilityDecider: Decider<
  CapabilityState,
  CapabilityCommand,
  CapabilityEvent,
  CapabilityContext
> = { initial: null, evolve: evolveCapability, decide: decideCapability };
