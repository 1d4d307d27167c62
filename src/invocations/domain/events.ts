import type { DomainEvent } from '../../kernel/event.js';
import type { AgentId, SkillId, Uuid } from '../../kernel/ids.js';
import type { Timestamp } from '../../kernel/timestamp.js';
import type { InvocationOutcome } from './outcome.js';

/** Who called, as the token said. */
export interface InvocationCaller {
  readonly principal: string;
  readonly client: string | null;
  readonly agent: AgentId | null;
  readonly tenant: string;
}

/** What is known of a call before it runs. Bodies of messages are not in it. */
export interface AdmittedInvocation {
  readonly invocationId: Uuid;
  readonly agentId: AgentId;
  readonly skillId: SkillId;
  readonly handler: string;
  /** Null: no token. */
  readonly caller: InvocationCaller | null;
  readonly taskId: Uuid;
  readonly routing: { readonly layer: string; readonly confidence: number };
  /** After it the outcome may be recorded as unknown. */
  readonly deadline: Timestamp;
}

export type InvocationAdmitted = DomainEvent<'invocation-admitted', AdmittedInvocation, null>;

export type InvocationEnded = DomainEvent<
  'invocation-ended',
  { readonly invocationId: Uuid; readonly outcome: InvocationOutcome },
  null
>;

export type InvocationEvent = InvocationAdmitted | InvocationEnded;
