import type {
  InvocationLedger,
  OverdueInvocation,
} from '../../invocations/commands/invocation-ledger.js';
import type { Recorded } from '../../kernel/event.js';
import type { Reporter } from '../../kernel/reporter.js';
import type { Clock } from '../../kernel/timestamp.js';
import type { StoredTaskEvent } from './domain/events.js';
import { outcomeOfTurn } from './domain/turn-outcome.js';
import { resultDigestOfTurn } from './domain/turn-result.js';
import { LOST_AFTER_MS } from './task-recovery.js';
import type { TaskStreams } from './task-streams.js';

const BATCH = 100;

/**
 * Ends invocations whose process died between the end of their turn and theirs: with the outcome that
 * the task tells, or as unknown when it tells none, or is gone. Every node may do it at any time: the
 * first outcome stands.
 */
export class InvocationRecovery {
  constructor(
    private readonly ledger: Pick<InvocationLedger, 'overdue' | 'end' | 'giveUp'>,
    private readonly streams: Pick<TaskStreams, 'pages'>,
    private readonly clock: Clock,
    private readonly report: Reporter,
  ) {}

  /** Looks at every overdue invocation once; one that cannot be ended is reported and left to the next. */
  async recover(signal: AbortSignal): Promise<void> {
    const moment = this.clock() - LOST_AFTER_MS;
    let last: OverdueInvocation | undefined;
    do {
      const batch = await this.ledger.overdue(moment, BATCH, last);
      for (const invocation of batch) {
        if (signal.aborted) return;
        await this.#end(invocation);
      }
      last = batch.length < BATCH ? undefined : batch.at(-1);
    } while (last !== undefined);
  }

  async #end({ invocationId, taskId }: OverdueInvocation): Promise<void> {
    try {
      const events: Recorded<StoredTaskEvent>[] = [];
      for await (const page of this.streams.pages(taskId, 0)) events.push(...page);
      const outcome = outcomeOfTurn(events, invocationId);
      const origin = { correlationId: invocationId, traceparent: null };
      if (outcome === undefined) {
        await this.ledger.giveUp(invocationId, origin);
        return;
      }
      const result = outcome === 'succeeded' ? resultDigestOfTurn(events, invocationId) : null;
      await this.ledger.end(invocationId, outcome, origin, result);
    } catch (error) {
      this.report('an overdue invocation could not be ended', { invocationId, error });
    }
  }
}
