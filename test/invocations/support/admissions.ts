import { randomUUID } from 'node:crypto';
import type { Admission } from '../../../src/invocations/commands/invocation-ledger.js';
import type { Uuid } from '../../../src/kernel/ids.js';
import { millisecondsOf } from '../../../src/kernel/timestamp.js';
import { FINANCE, partner } from '../../capabilities/support/capabilities.js';
import { NOW, SKILL } from '../../capabilities/support/given-when-then.js';

export const ORIGIN = { correlationId: '7c9e6679-7425-40de-944b-e07fc1f90ae7', traceparent: null };

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
    argumentsDigest: 'A'.repeat(43),
    deadline: millisecondsOf(NOW) + 60_000,
    basedOn: { 'capability-finance-agent/reconcile-invoice': 4 },
    ...changes,
  };
}
