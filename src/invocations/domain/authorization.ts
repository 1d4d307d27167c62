import type { Capability } from '../../capabilities/domain/capability.js';
import type { InteractionId, TermsHash } from '../../kernel/ids.js';

/** The contract that a message says it is sent under. */
export interface NamedContract {
  readonly interactionId: InteractionId;
  /** Null: whichever terms are in force. */
  readonly termsHash: TermsHash | null;
}

/** Terms in force, by what an auditor finds them. */
export interface GoverningTerms {
  readonly interactionId: InteractionId;
  /** Of the contract (1, 2, …), not of the stream. */
  readonly revision: number;
  readonly termsHash: TermsHash;
}

/** Which rule granted: the capability asks for no contract, or the terms allow the action. */
export type GrantRule = 'entitlement' | 'allowed-action';

/** The call may be made; once it is, what is on record of this is the handler's `AdmittedGrant`. */
export interface Grant {
  readonly kind: 'grant';
  readonly rule: GrantRule;
  /** As it stood at the head of its stream. */
  readonly capability: Capability;
  /** Null exactly when the rule is `entitlement`. */
  readonly terms: GoverningTerms | null;
  /**
   * Entries of the terms' `humanApprovalRequirements` that ask for an approval of this call, in their
   * order; empty: it may run at once.
   */
  readonly approvals: readonly string[];
}

/**
 * Why a call is refused; the order is the order in which the rules are asked. A caller for whom a
 * capability does not exist (`not-entitled`) is never told any of the others.
 */
export const AUTHORIZATION_CODES = [
  'not-entitled',
  'capability-removed',
  /** The capability asks for a contract, and the token speaks for no agent. */
  'agent-required',
  /** The token may not act as the agent that it names, or that agent is not registered. */
  'agent-not-acting',
  /** One of the two agents is retired. */
  'agent-retired',
  /** An event of a contract between the two could not be read, or its texts are erased. */
  'contract-unreadable',
  /** The named interaction is none between these two agents, whatever else it may be. */
  'contract-not-found',
  /** The named interaction was never attested. */
  'contract-not-in-force',
  'contract-expired',
  /** Cancelled or completed. */
  'contract-ended',
  /** Other terms are in force than the named ones. */
  'terms-superseded',
  /** An entry of any contract in force between the two that names this action. */
  'action-prohibited',
  'data-prohibited',
  /** A prohibition of any contract in force between the two that is no known identifier. */
  'prohibition-unclear',
  /** No contract is in force between the two. */
  'contract-required',
  'caller-not-initiator',
  'action-not-allowed',
  'data-not-allowed',
  /** What runs the call is another agent, and no delegation rule names it. */
  'delegation-not-allowed',
  'deadline-passed',
  /** No contract was named, and several allow the action. */
  'contract-ambiguous',
] as const;

export type AuthorizationCode = (typeof AUTHORIZATION_CODES)[number];

/** The call may not be made. */
export interface AuthorizationRefusal {
  readonly kind: 'refusal';
  readonly code: AuthorizationCode;
  /** The contract whose rule decided, null when it is no rule of one. */
  readonly terms: GoverningTerms | null;
  /**
   * The entry or the value that decided: an action, a data value, a prose entry, the agent that a call
   * would be passed on to, a deadline; null for none.
   */
  readonly entry: string | null;
  /** Of `contract-ambiguous` alone: two that allow the call. */
  readonly among?: readonly GoverningTerms[];
  /**
   * The caller's agent is or was party of a contract with the hosted agent. False where a rule decided
   * before that was looked at.
   */
  readonly isParty: boolean;
}

export type Authorization = Grant | AuthorizationRefusal;
