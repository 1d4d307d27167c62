import type { Agent } from '../../agents/domain/agent.js';
import { canonicalJson } from '../../kernel/canonical-json.js';
import type { TermsHash, Uuid } from '../../kernel/ids.js';
import type { Rejection } from '../../kernel/rejection.js';
import { err, ok, type Result } from '../../kernel/result.js';
import type { Timestamp } from '../../kernel/timestamp.js';
import { approvalStateAt, type ApprovalDecision } from './approval.js';
import type {
  AdmittedInvocation,
  InvocationCaller,
  InvocationEvent,
  PlannedInvocation,
  UsedApproval,
} from './events.js';
import type { Invocation, InvocationToApprove } from './invocation.js';

/** A decision on an approval; its maker is known to belong to the hosted agent's tenant. */
export interface Decide {
  readonly kind: 'decide';
  readonly invocationId: Uuid;
  readonly decision: ApprovalDecision;
  readonly by: InvocationCaller;
  /** What its maker saw, and decides on. */
  readonly termsHash: TermsHash;
  readonly argumentsDigest: string;
  readonly reason: string | null;
}

/** What of the caller's agent counts for who may decide. */
export type CallersAgent = Pick<Agent, 'owner' | 'clients'>;

/** What a decision is judged by, besides the call. */
export interface DecisionContext {
  readonly now: Timestamp;
  /**
   * The calling agent as it is, and as it was when the call was made: who left it since is no stranger.
   * Empty: it is not known.
   */
  readonly callersAgents: readonly CallersAgent[];
  /** Whether the terms that ask for the approval still govern. */
  readonly areTermsInForce: boolean;
}

/** Whether an approval was asked for the call. */
export function isToApprove(invocation: Invocation): invocation is InvocationToApprove {
  return invocation.approval !== null;
}

/**
 * Four eyes: whoever called does not decide, nor who owns the calling agent, nor one of its OAuth
 * clients, nor a token that speaks for it. A token has two names, its principal and its client (which
 * are one where a client speaks for itself): neither may be a name of the call's token, whether that is
 * registered or not, or of the agent, whose id is one of them: some issuers make it the principal of
 * what they give the agent. Names are compared whatever their tenant.
 *
 * @param callersAgents as of the call, and of now; none: nobody is known to be independent of it
 */
export function isIndependent(
  approver: InvocationCaller,
  caller: InvocationCaller | null,
  callersAgents: readonly CallersAgent[],
): boolean {
  if (caller === null || callersAgents.length === 0) return false;
  if (approver.agent !== null && approver.agent === caller.agent) return false;
  const involved = new Set(namesOf(caller));
  if (caller.agent !== null) involved.add(caller.agent);
  for (const { owner, clients } of callersAgents) {
    for (const name of [owner, ...clients]) involved.add(name);
  }
  return !namesOf(approver).some((name) => involved.has(name));
}

function namesOf({ principal, client }: InvocationCaller): readonly string[] {
  return client === null ? [principal] : [principal, client];
}

/**
 * Refuses with `approver-involved`, `approval-mismatch` (other terms or arguments than the call's),
 * `approval-decided` (otherwise; the same again changes nothing), `approval-void` (the call ended, or
 * its terms do not govern any more) and `approval-expired`.
 */
export function decideApproval(
  invocation: InvocationToApprove,
  command: Decide,
  { now, callersAgents, areTermsInForce }: DecisionContext,
): Result<readonly InvocationEvent[], Rejection> {
  const { call, approval } = invocation;
  const { invocationId, decision, by, termsHash, argumentsDigest, reason } = command;
  if (!isIndependent(by, call.caller, callersAgents)) return err({ code: 'approver-involved' });
  if (termsHash !== call.terms?.termsHash || argumentsDigest !== call.argumentsDigest) {
    return err({ code: 'approval-mismatch' });
  }
  const verdict = decision === 'approve' ? 'approved' : 'denied';
  if (approval.decision !== null) {
    return approval.decision.verdict === verdict ? ok([]) : err({ code: 'approval-decided' });
  }
  const state = approvalStateAt(invocation, now);
  if (state === 'void') return err({ code: 'approval-void' });
  if (state === 'expired') return err({ code: 'approval-expired' });
  if (!areTermsInForce) return err({ code: 'approval-void' });
  const data = { invocationId, by, termsHash, argumentsDigest };
  const type = decision === 'approve' ? 'approval-given' : 'approval-denied';
  return ok([{ type, data, texts: { reason } }]);
}

/**
 * The approval with which a call that waited for it may be admitted: given, not expired, and for this
 * very call under these very terms. Undefined: there is none.
 */
export function approvalFor(
  admitted: Omit<AdmittedInvocation, 'approval'>,
  waiting: InvocationToApprove,
  now: Timestamp,
): UsedApproval | undefined {
  const { decision } = waiting.approval;
  if (decision === null || approvalStateAt(waiting, now) !== 'approved') return undefined;
  if (boundOf(admitted) !== boundOf(waiting.call)) return undefined;
  return { by: decision.by, at: decision.at };
}

/** What an approval is bound to. How the call was routed, and by which handler it runs, is not of it. */
function boundOf({
  agentId,
  skillId,
  caller,
  taskId,
  terms,
  action,
  data,
  argumentsDigest,
}: PlannedInvocation): string {
  const sorted = [...data].sort();
  return canonicalJson([agentId, skillId, caller, taskId, terms, action, sorted, argumentsDigest]);
}
