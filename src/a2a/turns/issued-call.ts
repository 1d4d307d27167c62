import type { Admission, ApprovalRequest } from '../../invocations/commands/invocation-ledger.js';
import type { Caller } from '../../kernel/caller.js';
import type { Uuid } from '../../kernel/ids.js';
import type { StoredTask, TaskChange } from '../tasks/domain/task.js';
import type { PlannedCall } from './turn-plan.js';

/** A planned call with the ids and times by which it goes on record. */
export interface IssuedCall {
  readonly plan: PlannedCall;
  readonly invocationId: Uuid;
  /** When the handler is stopped: milliseconds since the epoch. */
  readonly deadline: number;
  /** What of it stands on the task from the beginning. */
  readonly routed: Extract<TaskChange, { kind: 'routed' }>;
}

/** From its deadline until a turn counts as lost: time enough to record that it did not end. */
const GRACE_MS = 10_000;

/** @param deadline milliseconds since the epoch */
export function issue(plan: PlannedCall, invocationId: Uuid, deadline: number): IssuedCall {
  const { grant, handler, routing, argumentsDigest, takesArguments } = plan;
  const { id: skillId } = grant.capability.manifest;
  const binding = {
    skillId,
    handler,
    invocationId,
    ...(takesArguments ? { argumentsDigest } : {}),
  };
  const routed = { kind: 'routed', binding, routing, deadline: deadline + GRACE_MS } as const;
  return { plan, invocationId, deadline, routed };
}

/**
 * A call within the time that its task gives it: that of this call, or of one before it under the same
 * id. Undefined when the task gives none.
 */
export function withinTask(
  call: IssuedCall,
  { deadline: lostAt }: StoredTask,
): IssuedCall | undefined {
  if (lostAt === null) return undefined;
  return { ...call, deadline: lostAt - GRACE_MS, routed: { ...call.routed, deadline: lostAt } };
}

/** What the ledger records before the implementation runs; null: a caller without a token. */
export function admissionOf(call: IssuedCall, caller: Caller | null, taskId: Uuid): Admission {
  const { rule, terms } = call.plan.grant;
  const lostAt = call.routed.deadline ?? call.deadline;
  return { caller, rule, terms, deadline: lostAt, ...recorded(call, taskId) };
}

/** Undefined: nothing asks for an approval of this call. */
export function approvalRequestOf(
  call: IssuedCall,
  caller: Caller | null,
  taskId: Uuid,
  expiresAt: number,
): ApprovalRequest | undefined {
  const { terms, approvals: entries, capability } = call.plan.grant;
  const { action, requiresScopes: scopes } = capability.manifest;
  // Contracts are for agents with a token, and capabilities that require one name their action.
  if (entries.length === 0 || terms === null || caller === null || action === null)
    return undefined;
  return { ...recorded(call, taskId), caller, terms, action, entries, scopes, expiresAt };
}

function recorded({ plan, invocationId }: IssuedCall, taskId: Uuid) {
  const { grant, handler, routing, basedOn, argumentsDigest } = plan;
  const { agentId, id: skillId, action, data } = grant.capability.manifest;
  const { layer, confidence } = routing;
  return {
    invocationId,
    agentId,
    skillId,
    handler,
    taskId,
    routing: { layer, confidence },
    action,
    data,
    argumentsDigest,
    basedOn,
  };
}
