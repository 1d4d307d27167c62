import { randomUUID } from 'node:crypto';
import type {
  Admission,
  ApprovalRequest,
  RefusedCall,
} from '../../../src/invocations/commands/invocation-ledger.js';
import type { GoverningTerms } from '../../../src/invocations/domain/authorization.js';
import type { InteractionId, TermsHash, Uuid } from '../../../src/kernel/ids.js';
import { millisecondsOf } from '../../../src/kernel/timestamp.js';
import { FINANCE, partner } from '../../capabilities/support/capabilities.js';
import { NOW, SKILL } from '../../capabilities/support/given-when-then.js';

export const ORIGIN = { correlationId: '7c9e6679-7425-40de-944b-e07fc1f90ae7', traceparent: null };

const TERMS: GoverningTerms = {
  interactionId: '6b2a4b1e-4f0a-4c3e-9d1b-2f6c1f3f8a10' as InteractionId,
  revision: 2,
  termsHash: 'T'.repeat(42).concat('A') as TermsHash,
};

/** A call that is about to run, for a minute at most. */
export function admission(changes: Partial<Admission> = {}): Admission {
  return {
    invocationId: randomUUID() as Uuid,
    agentId: FINANCE,
    skillId: SKILL,
    handler: 'recon.v3.reconcile',
    caller: partner({ scopes: ['recon.run'] }),
    taskId: randomUUID() as Uuid,
    routing: { layer: 'text-classifier', confidence: 0.93 },
    rule: 'entitlement',
    terms: null,
    action: null,
    data: [],
    argumentsDigest: 'A'.repeat(43),
    deadline: millisecondsOf(NOW) + 60_000,
    basedOn: { 'capability-finance-agent/reconcile-invoice': 4 },
    ...changes,
  };
}

/** A call that waits for a human, for a minute at most. */
export function approvalRequest(changes: Partial<ApprovalRequest> = {}): ApprovalRequest {
  const { deadline: _deadline, rule: _rule, ...call } = admission();
  return {
    ...call,
    caller: partner({ scopes: ['recon.run'] }),
    terms: TERMS,
    action: 'reconcile',
    data: ['invoices'],
    entries: ['reconcile'],
    scopes: ['recon.run'],
    expiresAt: millisecondsOf(NOW) + 60_000,
    ...changes,
  };
}

/** The admission of a call that was to be approved. */
export function admissionOf(request: ApprovalRequest, changes: Partial<Admission> = {}): Admission {
  const { entries: _entries, scopes: _scopes, expiresAt, ...call } = request;
  return { ...call, rule: 'allowed-action', deadline: expiresAt + 60_000, ...changes };
}

/** A refused call of a party. */
export function refusedCall(changes: Partial<RefusedCall> = {}): RefusedCall {
  const { invocationId, agentId, skillId, caller, terms, argumentsDigest, basedOn } =
    approvalRequest();
  const call = { invocationId, agentId, skillId, caller, terms, argumentsDigest, basedOn };
  return { ...call, code: 'action-not-allowed', ...changes };
}
