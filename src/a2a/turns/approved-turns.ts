import type { OnModuleDestroy } from '@nestjs/common';
import type { ContractsBetween } from '../../interactions/queries/contracts-between.js';
import type { ApprovalLedger } from '../../invocations/commands/approval-ledger.js';
import type {
  InvocationLedger,
  InvocationOutcome,
  SettledApproval,
} from '../../invocations/commands/invocation-ledger.js';
import { isToApprove } from '../../invocations/domain/approving.js';
import type { InvocationToApprove } from '../../invocations/domain/invocation.js';
import { areInForce } from '../../invocations/domain/terms-in-force.js';
import type { Uuid } from '../../kernel/ids.js';
import type { Reporter } from '../../kernel/reporter.js';
import { millisecondsOf, timestampOf, type Clock } from '../../kernel/timestamp.js';
import { hasEnded } from '../tasks/domain/task-fold.js';
import type { StoredTask } from '../tasks/domain/task.js';
import type { Tasks } from '../tasks/port.js';
import { Recurring } from '../tasks/recurring.js';
import type { ApprovedCalls } from './approved-calls.js';

/** What looks for approvals that came out works with. */
export interface ApprovedTurnsParts {
  readonly tasks: Pick<Tasks, 'load'>;
  readonly approvals: Pick<ApprovalLedger, 'settled' | 'undecided' | 'onDecided' | 'find'>;
  readonly contracts: Pick<ContractsBetween, 'named'>;
  readonly ledger: Pick<InvocationLedger, 'end'>;
  readonly calls: ApprovedCalls;
  readonly clock: Clock;
  readonly report: Reporter;
}

const PAUSE_MS = 1000;
const BATCH = 100;

/**
 * Goes on with calls whose approval came out: those that are approved run, all others end. Every node
 * may do it at any time, and does so again until it is done: the task lets one of them go on with it,
 * and the ledger lets one of them run the call.
 */
export class ApprovedTurns implements OnModuleDestroy {
  readonly #looking: Recurring;
  /** Decided in this process; the view may not have heard of them. */
  readonly #decided = new Set<Uuid>();
  /** Of those that wait, the last one that was looked at. */
  #lookedAt: Uuid | undefined;
  #stopListening: () => void = () => undefined;

  constructor(private readonly parts: ApprovedTurnsParts) {
    const look = async (signal: AbortSignal) => await this.look(signal);
    this.#looking = new Recurring('the resumption of calls', look, PAUSE_MS, parts.report);
  }

  /**
   * Not before the node serves: a call goes by the capabilities that its files say, and its backend
   * may ask for the keys that verify it.
   */
  start(): void {
    this.#stopListening = this.parts.approvals.onDecided((invocationId) => {
      this.#decided.add(invocationId);
      this.#looking.ring();
    });
    this.#looking.start();
  }

  async onModuleDestroy(): Promise<void> {
    this.#stopListening();
    await this.#looking.stop();
  }

  /** Takes up every approval that has come out, once. */
  async look(signal: AbortSignal): Promise<void> {
    const decided = [...this.#decided];
    this.#decided.clear();
    for (const invocationId of decided) {
      if (signal.aborted) return;
      await this.#attempt(invocationId);
    }
    let last: SettledApproval | undefined;
    do {
      const batch = await this.parts.approvals.settled(this.parts.clock(), BATCH, last);
      for (const { invocationId } of batch) {
        if (signal.aborted) return;
        await this.#attempt(invocationId);
      }
      last = batch.length < BATCH ? undefined : batch.at(-1);
    } while (last !== undefined);
    await this.#lookAtUndecided(signal);
  }

  /** Contracts end while calls wait under them: some of these at a time, until all have had a turn. */
  async #lookAtUndecided(signal: AbortSignal): Promise<void> {
    const { approvals, clock } = this.parts;
    const batch = await approvals.undecided(clock(), BATCH, this.#lookedAt);
    for (const invocationId of batch) {
      if (signal.aborted) return;
      await this.#attempt(invocationId);
    }
    this.#lookedAt = batch.length < BATCH ? undefined : batch.at(-1);
  }

  /** What fails with one call stands in the way of no other. */
  async #attempt(invocationId: Uuid): Promise<void> {
    try {
      // Views and hints only find candidates: what counts is what stands at the head of its stream.
      const invocation = await this.parts.approvals.find(invocationId);
      if (invocation === undefined || !isToApprove(invocation)) return;
      if (invocation.admission === null && invocation.ended === null)
        await this.#takeUp(invocation);
    } catch (error) {
      this.parts.report('a call could not be resumed', { invocationId, error });
    }
  }

  async #takeUp(invocation: InvocationToApprove): Promise<void> {
    const { tasks, ledger, calls, clock } = this.parts;
    const { invocationId, taskId } = invocation.call;
    const stored = await tasks.load(taskId);
    if (stored === undefined || hasEnded(stored) || !isOfTask(stored, invocationId)) {
      const origin = { correlationId: invocationId, traceparent: null };
      await ledger.end(invocationId, outcomeWithout(stored), origin);
      return;
    }
    // The task has not said yet that it waits. If it never will, it is given up as a lost turn.
    if (stored.hold?.invocationId !== invocationId) return;
    const { decision, expiresAt } = invocation.approval;
    if (decision?.verdict === 'denied') {
      await calls.refuse(stored, invocation, 'approval-denied');
      return;
    }
    if (clock() >= millisecondsOf(expiresAt)) {
      await calls.refuse(stored, invocation, 'approval-expired');
      return;
    }
    if (decision !== null) {
      await calls.run(stored, invocation);
      return;
    }
    if (await this.#isOver(invocation)) await calls.refuse(stored, invocation, 'approval-void');
  }

  /** Whether the terms are known to govern no more; what cannot be read now may be mended. */
  async #isOver({ call: { caller, agentId, terms } }: InvocationToApprove): Promise<boolean> {
    const { contracts, clock } = this.parts;
    const calling = caller?.agent ?? null;
    if (calling === null || terms === null) return false;
    const found = await contracts.named(calling, agentId, terms.interactionId);
    return found !== undefined && !areInForce(terms, found.interaction, timestampOf(clock()));
  }
}

function isOfTask({ binding }: StoredTask, invocationId: Uuid): boolean {
  return binding?.invocationId === invocationId;
}

/** Of a call that was never made, by what became of its task. */
function outcomeWithout(stored: StoredTask | undefined): InvocationOutcome {
  return stored?.task.status.state === 'TASK_STATE_REJECTED' ? 'rejected' : 'canceled';
}
