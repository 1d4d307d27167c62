import type { CommandEnvelope } from '../../event-store/command-execution.js';
import type { Caller } from '../../kernel/caller.js';
import type { AgentId, SkillId, Uuid } from '../../kernel/ids.js';
import type { Rejection } from '../../kernel/rejection.js';
import type { Result } from '../../kernel/result.js';
import type { Timestamp } from '../../kernel/timestamp.js';
import type { InvocationOutcome } from '../domain/outcome.js';

export type { InvocationOutcome } from '../domain/outcome.js';

/** What is recorded before a handler runs; bodies of messages stay out of it. */
export interface Admission {
  readonly invocationId: Uuid;
  readonly agentId: AgentId;
  readonly skillId: SkillId;
  readonly handler: string;
  /** Null: no token. */
  readonly caller: Caller | null;
  readonly taskId: Uuid;
  /** Which routing layer chose the skill, and how sure it was (0 to 1). */
  readonly routing: { readonly layer: string; readonly confidence: number };
  /** After it the outcome may be recorded as unknown: milliseconds since the epoch. */
  readonly deadline: number;
  /** Heads on which the admission rests: stream name to revision. */
  readonly basedOn: Readonly<Record<string, number>>;
}

/** A call whose deadline has passed without an outcome. */
export interface OverdueInvocation {
  readonly invocationId: Uuid;
  readonly taskId: Uuid;
  readonly deadline: Timestamp;
}

/** The audited record of calls: one stream `invocation-<uuid>` each. */
export abstract class InvocationLedger {
  /**
   * Durable before it resolves; once per invocation id (`contention` when another node was first).
   */
  abstract admit(
    admission: Admission,
    context: Pick<CommandEnvelope, 'correlationId' | 'traceparent'>,
  ): Promise<Result<undefined, Rejection>>;

  /** The first outcome stands; a later one changes nothing and is no error. */
  abstract end(
    invocationId: Uuid,
    outcome: InvocationOutcome,
    context: Pick<CommandEnvelope, 'correlationId' | 'traceparent'>,
  ): Promise<void>;

  /**
   * Invocations whose deadline lies before `now` (milliseconds since the epoch), the oldest first,
   * following one of them; candidates of the view, which may have ended meanwhile.
   */
  abstract overdue(
    now: number,
    limit: number,
    after?: OverdueInvocation,
  ): Promise<readonly OverdueInvocation[]>;
}
