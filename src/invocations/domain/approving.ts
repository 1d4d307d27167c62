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

/** Whether an approval was asked for the call. */
export function isToApprove(invocation: Invocation): invocation is InvocationToApprove {
  return invocation.approval !== null;
}

/**
 * Four eyes: whoever called does not decide, nor the OAuth client through which it did (whether it is
 * registered with the calling agent or not), nor who owns that agent, nor one of its OAuth clients, nor
 * a token that speaks for it. Principals and clients are compared whatever their tenant.
 *
 * @param callersAgent null when it is not known: then nobody is known to be independent of it
 */
export function isIndependent(
  approver: InvocationCaller,
  caller: InvocationCaller | null,
  callersAgent: CallersAgent | null,
): boolean {
  if (caller === null || callersAgent === null) return false;
  const { principal, client, agent } = approver;
  if (principal === caller.principal || principal === callersAgent.owner) return false;
  if (client !== null && (client === caller.client || callersAgent.clients.includes(client))) {
    return false;
  }
  return agent === null || agent !== caller.agent;
}

/**
 * Refuses with `approver-involved`, `approval-mismatch` (other terms or arguments than the call's),
 * `approval-decided` (otherwise; the same again changes nothing), `approval-void` (the call ended) and
 * `approval-expired`.
 */
export function decideApproval(
  invocation: InvocationToApprove,
  command: Decide,
  { now, callersAgent }: { readonly now: Timestamp; readonly callersAgent: CallersAgent | null },
): Result<readonly InvocationEvent[], Rejection> {
  const { call, approval } = invocation;
  const { invocationId, decision, by, termsHash, argumentsDigest, reason } = command;
  if (!isIndependent(by, call.caller, callersAgent)) return err({ code: 'approver-involved' });
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
