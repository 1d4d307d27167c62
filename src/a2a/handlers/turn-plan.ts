import type { Capability } from '../../capabilities/domain/capability.js';
import type { RoutingRecord } from '../routing/decision.js';
import type { Message, Part } from '../wire/types.js';
import type { CapabilityImplementation } from './capability-call.js';

/** What is done about a message. */
export type TurnPlan = AskBack | RunHandler;

/** Nobody knows what it is for: its sender is asked. */
export interface AskBack {
  readonly kind: 'ask';
  readonly question: readonly Part[];
  readonly routing: RoutingRecord;
}

export interface RunHandler {
  readonly kind: 'run';
  /** As it stood at the head of its stream. */
  readonly capability: Capability;
  readonly stream: string;
  readonly implementation: CapabilityImplementation;
  readonly routing: RoutingRecord;
  readonly outputModes: readonly string[];
  /** What the handler gets: after questions, with what was said before. */
  readonly message: Message;
}
