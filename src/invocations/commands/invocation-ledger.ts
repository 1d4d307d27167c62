import type { CommandEnvelope } from '../../event-store/command-execution.js';
import type { Caller } from '../../kernel/caller.js';
import type { AgentId, SkillId, Uuid } from '../../kernel/ids.js';
import type { Rejection } from '../../kernel/rejection.js';
import type { Result } from '../../kernel/result.js';
import type { Timestamp } from '../../kernel/timestamp.js';
import type { AuthorizationCode, GoverningTerms, GrantRule } from '../domain/authorization.js';
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
  readonly rule: GrantRule;
  /** Under which the call runs, null when it needs no contract. */
  readonly terms: GoverningTerms | null;
  /** Of the capability at this moment: what the terms were asked for, null for none. */
  readonly action: string | null;
  readonly data: readonly string[];
  /**
   * b64u(SHA-256(JCS(…))) of the arguments of a direct invoke, or of those that a backend gets of a
   * message; otherwise of the message, as it was sent or with what was said before.
   */
  readonly argumentsDigest: string;
  /** After it the outcome may be recorded as unknown: milliseconds since the epoch. */
  readonly deadline: number;
  /** Heads on which the admission rests: stream name to revision. */
  readonly basedOn: Readonly<Record<string, number>>;
}

/** A call that waits for a human of the hosted agent's tenant. */
export interface ApprovalRequest extends Omit<Admission, 'deadline' | 'rule' | 'terms' | 'caller'> {
  readonly caller: Caller;
  readonly terms: GoverningTerms;
  readonly action: string;
  /** The entries of the terms that ask for it. */
  readonly entries: readonly string[];
  /** Of the caller's scopes those that the capability requires: what the call runs with later. */
  readonly scopes: readonly string[];
  /** Nothing can be approved after it: milliseconds since the epoch. */
  readonly expiresAt: number;
}

/** How an approval came out: `expired` is said by the clock, without an event. */
export type ApprovalVerdict = 'approved' | 'denied' | 'expired';

/** An approval that came out, of a call that has neither been admitted nor ended. */
export interface SettledApproval {
  readonly invocationId: Uuid;
  readonly taskId: Uuid;
  readonly verdict: ApprovalVerdict;
}

/** A refused call of a party of a contract with the hosted agent. */
export interface RefusedCall {
  /** The id that the call would have had; the refusal gets a stream of its own. */
  readonly invocationId: Uuid;
  readonly agentId: AgentId;
  readonly skillId: SkillId;
  readonly caller: Caller;
  readonly code: AuthorizationCode;
  readonly terms: GoverningTerms | null;
  readonly argumentsDigest: string;
  readonly basedOn: Readonly<Record<string, number>>;
}

/** Where what is recorded comes from. */
export type Origin = Pick<CommandEnvelope, 'correlationId' | 'traceparent'>;

/** A call whose deadline has passed without an outcome. */
export interface OverdueInvocation {
  readonly invocationId: Uuid;
  readonly taskId: Uuid;
  readonly deadline: Timestamp;
}

/** The audited record of calls: one stream `invocation-<uuid>` each. */
export abstract class InvocationLedger {
  /**
   * Durable before it resolves; once per invocation id (`contention` when another node, or another
   * task, was first).
   * Of a call that was to be approved it takes the approval, which is thereby used up; it must be
   * given, not expired, and of the very same terms, action, data and arguments digest, else
   * `approval-required`.
   */
  abstract admit(admission: Admission, context: Origin): Promise<Result<undefined, Rejection>>;

  /**
   * The first outcome stands; a later one changes nothing and is no error. Ends also what waits for
   * an approval, which is thereby void. For whoever ran the call, or knows how it ended:
   * `outcome-unknown` says that it is known to have run, and not to what end.
   * @throws when nothing of the call is on record; for `outcome-unknown` also when it was not admitted
   * @param resultDigest b64u(SHA-256(JCS(result))) of what a direct invoke or a backend gave, else null
   */
  abstract end(
    invocationId: Uuid,
    outcome: InvocationOutcome,
    context: Origin,
    resultDigest?: string | null,
  ): Promise<void>;

  /**
   * Ends a call that nobody runs any more as `outcome-unknown`. Changes nothing before its deadline has
   * passed, nor of what ended or was never admitted.
   */
  abstract giveUp(invocationId: Uuid, context: Origin): Promise<void>;

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
