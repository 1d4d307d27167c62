import type { InvocationLedger } from '../../invocations/commands/invocation-ledger.js';
import type { Grant, NamedContract } from '../../invocations/domain/authorization.js';
import type { Authorizer } from '../../invocations/queries/authorizer.js';
import type { Caller } from '../../kernel/caller.js';
import type { Uuid } from '../../kernel/ids.js';
import { REJECTIONS, type RejectionCode } from '../../kernel/rejection.js';
import { isRunning } from '../tasks/domain/task-fold.js';
import type { StoredTask } from '../tasks/domain/task.js';
import type { Tasks } from '../tasks/port.js';
import { admissionOf, type IssuedCall } from './issued-call.js';
import type { ReceivedMessage } from './received-message.js';
import { sameTerms } from './same-terms.js';
import type { TurnFailure } from './turn-plan.js';

/** What calls are admitted by. */
export interface AdmissionParts {
  readonly authorizer: Authorizer;
  readonly tasks: Pick<Tasks, 'load'>;
  readonly ledger: Pick<InvocationLedger, 'admit' | 'end'>;
  /** A fault of the service, for operators. */
  readonly fault: (error: unknown, correlationId: string) => void;
}

/** `admitted`: it may run here; `elsewhere`: it was made before; otherwise why it does not run. */
export type AdmissionVerdict = 'admitted' | 'elsewhere' | TurnFailure;

/** What the ledger says of a call, and what that is for its turn. */
const REFUSED: Partial<Record<RejectionCode, AdmissionVerdict>> = {
  // Another task with the same idempotency key was first, or another node with an approved call.
  contention: 'elsewhere',
  'approval-required': 'approval-void',
};

/** Puts calls on record, and looks once more at what they rest on and at their tasks. */
export class TurnAdmission {
  constructor(private readonly parts: AdmissionParts) {}

  async admit(
    { request, contract }: ReceivedMessage,
    call: IssuedCall,
    taskId: Uuid,
  ): Promise<AdmissionVerdict> {
    const { ledger, fault } = this.parts;
    const { invocationId } = call;
    const admitted = await ledger.admit(admissionOf(call, request.caller, taskId), request);
    if (!admitted.ok) {
      const verdict = REFUSED[admitted.error.code];
      if (verdict !== undefined) return verdict;
      const why = REJECTIONS[admitted.error.code];
      fault(new Error(`invocation ${invocationId}: ${why}`), request.correlationId);
      return 'not-recorded';
    }
    // What came between the look at the heads and the admission came before the admission.
    const [stands, stored] = await Promise.all([
      this.#stillStands(request.caller, contract, call.plan.grant),
      this.parts.tasks.load(taskId),
    ]);
    if (stands && stored !== undefined && isTurnOf(stored, invocationId)) return 'admitted';
    const isCanceled = stored?.task.status.state === 'TASK_STATE_CANCELED';
    await ledger.end(invocationId, isCanceled ? 'canceled' : 'voided', request);
    // A task that is over takes no other end: it is shown as it is.
    return 'voided';
  }

  /** Is it again a grant of the same terms? Other changes of the capability are no matter of it. */
  async #stillStands(
    caller: Caller | null,
    claimed: NamedContract | null,
    granted: Grant,
  ): Promise<boolean> {
    const { terms, capability, approvals } = granted;
    const { agentId, id: skillId } = capability.manifest;
    const question = { agentId, skillId, caller, named: terms ?? claimed };
    const { decision } = await this.parts.authorizer.authorize(question);
    return (
      decision.kind === 'grant' &&
      decision.rule === granted.rule &&
      decision.terms?.revision === terms?.revision &&
      decision.approvals.every((entry) => approvals.includes(entry)) &&
      sameTerms(capability.manifest, decision.capability.manifest)
    );
  }
}

/** Does the task still wait for this very call? It may have been canceled, or given up, meanwhile. */
function isTurnOf(stored: StoredTask, invocationId: Uuid): boolean {
  return isRunning(stored) && stored.binding?.invocationId === invocationId;
}
