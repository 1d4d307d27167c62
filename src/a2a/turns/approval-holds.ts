import type { ContractsBetween } from '../../interactions/queries/contracts-between.js';
import type { ApprovalLedger } from '../../invocations/commands/approval-ledger.js';
import type {
  ApprovalRequest,
  InvocationLedger,
} from '../../invocations/commands/invocation-ledger.js';
import type { Uuid } from '../../kernel/ids.js';
import { REJECTIONS } from '../../kernel/rejection.js';
import { millisecondsOf, timestampOf, type Clock } from '../../kernel/timestamp.js';
import type { StoredTask, TaskChange } from '../tasks/domain/task.js';
import type { Tasks } from '../tasks/port.js';
import type { A2aRequest } from './agent-operations.js';
import { approvalRequestOf, type IssuedCall } from './issued-call.js';

/** What calls are held by. */
export interface HoldParts {
  readonly tasks: Pick<Tasks, 'record'>;
  readonly approvals: Pick<ApprovalLedger, 'request'>;
  readonly ledger: Pick<InvocationLedger, 'end'>;
  readonly contracts: Pick<ContractsBetween, 'named'>;
  readonly clock: Clock;
  /** How long an approval may be given at most, in milliseconds. */
  readonly approvalTimeoutMs: number;
  readonly trustExtensionUri: string;
  readonly fault: (error: unknown, correlationId: string) => void;
}

const ASKED =
  'The contract asks for the approval of a human before this is done; it goes on when that is given.';

/** Lets calls wait that a contract lets nobody make before a human has approved them. */
export class ApprovalHolds {
  constructor(private readonly parts: HoldParts) {}

  /**
   * Asks for the approval of a call whose task is submitted; then the task says that it waits. What
   * dies in between is a turn that never ended: the task is given up after its deadline, and a
   * decision then finds it so.
   * @returns the task; `elsewhere`: under this id a call of another task waits, or was made;
   * `not-recorded`: nobody can be asked
   */
  async hold(
    { caller, agent, correlationId, traceparent }: A2aRequest,
    call: IssuedCall,
    { task }: StoredTask,
  ): Promise<StoredTask | 'elsewhere' | 'not-recorded'> {
    const { tasks, approvals, ledger, clock, approvalTimeoutMs, fault } = this.parts;
    const origin = { correlationId, traceparent };
    const taskId = task.id as Uuid;
    const latest = clock() + approvalTimeoutMs;
    const request = approvalRequestOf(call, caller, taskId, latest);
    if (request === undefined) {
      fault(new TypeError(`an approval without a contract: ${agent.agentId}`), correlationId);
      return 'not-recorded';
    }
    const expiresAt = Math.min(latest, await this.#endOfContract(request));
    const requested = await approvals.request({ ...request, expiresAt }, origin);
    if (!requested.ok) {
      if (requested.error.code === 'contention') return 'elsewhere';
      const why = REJECTIONS[requested.error.code];
      fault(new Error(`approval of ${call.invocationId}: ${why}`), correlationId);
      return 'not-recorded';
    }
    const { invocationId } = call;
    const waiting = this.#waiting(call, expiresAt);
    const recorded = await tasks.record(taskId, invocationId, [waiting]);
    if (recorded.ok) return recorded.value;
    // It was canceled meanwhile.
    await ledger.end(invocationId, 'canceled', origin);
    return recorded.error.task;
  }

  #waiting({ invocationId, plan }: IssuedCall, expiresAt: number): TaskChange {
    const approval = { invocationId, expiresAt: timestampOf(expiresAt) };
    return {
      kind: 'status',
      state: 'TASK_STATE_AUTH_REQUIRED',
      parts: [{ text: ASKED }],
      metadata: { [this.parts.trustExtensionUri]: { approval } },
      hold: { invocationId, expiresAt, outputModes: plan.outputModes },
    };
  }

  /**
   * Nothing can be approved once the contract has expired: milliseconds since the epoch. That its deadline
   * has passed is found when the call goes on; it is one of the sealed texts, and this moment is not.
   */
  async #endOfContract({ caller, agentId, terms }: ApprovalRequest): Promise<number> {
    if (caller.agent === null) return Infinity;
    const { interactionId } = terms;
    const found = await this.parts.contracts.named(caller.agent, agentId, interactionId);
    return found === undefined ? Infinity : millisecondsOf(found.interaction.expiresAt);
  }
}
