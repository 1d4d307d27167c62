import type { DomainEvent } from '../../kernel/event.js';
import type { AgentId, SkillId, TermsHash, Uuid } from '../../kernel/ids.js';
import type { Timestamp } from '../../kernel/timestamp.js';
import type { AuthorizationCode, GoverningTerms, GrantRule } from './authorization.js';
import type { InvocationOutcome } from './outcome.js';

/** Who called, or decided, as the token said. */
export interface InvocationCaller {
  readonly principal: string;
  readonly client: string | null;
  readonly agent: AgentId | null;
  readonly tenant: string;
}

/** What is known of a call before it runs. Bodies of messages are not in it. */
export interface PlannedInvocation {
  readonly invocationId: Uuid;
  readonly agentId: AgentId;
  readonly skillId: SkillId;
  readonly handler: string;
  /** Null: no token. */
  readonly caller: InvocationCaller | null;
  readonly taskId: Uuid;
  readonly routing: { readonly layer: string; readonly confidence: number };
  /** Null: it needs no contract. */
  readonly terms: GoverningTerms | null;
  /** Of the capability, null for none: what the terms were asked for. */
  readonly action: string | null;
  readonly data: readonly string[];
  /** Null: recorded before digests were. */
  readonly argumentsDigest: string | null;
}

/** A call that may not run before a human of the hosted agent's tenant has approved it. */
export interface RequestedApproval extends PlannedInvocation {
  readonly caller: InvocationCaller;
  readonly terms: GoverningTerms;
  readonly action: string;
  readonly argumentsDigest: string;
  /** Of the caller's scopes those that the capability requires: what the call runs with later. */
  readonly scopes: readonly string[];
  /** From then on nothing can be approved, and what was approved cannot be used. */
  readonly expiresAt: Timestamp;
}

export type ApprovalRequested = DomainEvent<
  'approval-requested',
  RequestedApproval,
  /** The entries of the terms that ask for it. */
  { readonly entries: readonly string[] }
>;

/** A decision, with what its maker saw of the call. */
export interface DecidedApproval {
  readonly invocationId: Uuid;
  readonly by: InvocationCaller;
  readonly termsHash: TermsHash;
  readonly argumentsDigest: string;
}

interface Reason {
  readonly reason: string | null;
}

export type ApprovalGiven = DomainEvent<'approval-given', DecidedApproval, Reason>;
export type ApprovalDenied = DomainEvent<'approval-denied', DecidedApproval, Reason>;

/** The approval that an admission used up. */
export interface UsedApproval {
  readonly by: InvocationCaller;
  readonly at: Timestamp;
}

export interface AdmittedInvocation extends PlannedInvocation {
  readonly rule: GrantRule;
  /** Null: none was asked for. */
  readonly approval: UsedApproval | null;
  /** After it the outcome may be recorded as unknown. */
  readonly deadline: Timestamp;
}

export type InvocationAdmitted = DomainEvent<'invocation-admitted', AdmittedInvocation, null>;

export type InvocationEnded = DomainEvent<
  'invocation-ended',
  {
    readonly invocationId: Uuid;
    readonly outcome: InvocationOutcome;
    /** Of what a direct invoke, or a backend, gave back, null otherwise. */
    readonly resultDigest: string | null;
  },
  null
>;

/** A refused call of a party of a contract with the hosted agent. */
export interface RefusedInvocation {
  /** Of the refusal alone: no call ever runs under it. */
  readonly invocationId: Uuid;
  /** The id that the call would have had; the same whenever it is repeated under one idempotency key. */
  readonly plannedId: Uuid;
  readonly agentId: AgentId;
  readonly skillId: SkillId;
  readonly caller: InvocationCaller;
  readonly code: AuthorizationCode;
  /** The contract whose rule decided, null when it is no rule of one. */
  readonly terms: GoverningTerms | null;
  readonly argumentsDigest: string;
}

export type InvocationRefused = DomainEvent<'invocation-refused', RefusedInvocation, null>;

export type InvocationEvent =
  | ApprovalRequested
  | ApprovalGiven
  | ApprovalDenied
  | InvocationAdmitted
  | InvocationEnded
  | InvocationRefused;
