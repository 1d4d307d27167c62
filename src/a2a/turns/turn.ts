import type {
  InvocationLedger,
  InvocationOutcome,
} from '../../invocations/commands/invocation-ledger.js';
import type { Uuid } from '../../kernel/ids.js';
import type { Clock } from '../../kernel/timestamp.js';
import { resultDigestOf } from '../tasks/domain/turn-result.js';
import { weightOfParts } from '../tasks/domain/weight.js';
import type { StoredTask, TaskChange } from '../tasks/domain/task.js';
import type { Tasks } from '../tasks/port.js';
import type { CapabilityCall, CapabilityImplementation } from '../handlers/capability-call.js';
import { ChangeWriter } from './change-writer.js';
import { givenCall } from '../handlers/given-call.js';
import { hear, type Heard } from './hear-handler.js';
import type { DirectTurn } from './turn-plan.js';
import { concluding, outcomeOfPast, unwritten, type StopReason } from './turn-conclusion.js';
import { TurnWatch } from './turn-watch.js';

/** What a turn needs besides its call. */
export interface TurnParts {
  readonly tasks: Pick<Tasks, 'record' | 'watch' | 'load'>;
  readonly ledger: Pick<InvocationLedger, 'end'>;
  readonly clock: Clock;
  /** A fault of the service or of a handler, for operators. */
  readonly fault: (error: unknown, correlationId: string) => void;
}

/** One admitted call. */
export interface TurnOrder {
  readonly implementation: CapabilityImplementation;
  readonly call: Omit<CapabilityCall, 'signal'>;
  /** The task as it was when the turn began. */
  readonly stored: StoredTask;
  readonly direct: DirectTurn | null;
  /** What it gives back goes on record by its digest. */
  readonly takesArguments: boolean;
  readonly origin: { readonly correlationId: string; readonly traceparent: string | null };
}

/** How a turn came out, for whoever waits for it. */
export interface TurnEnd {
  readonly stored: StoredTask;
  /** The handler broke its rules; the task has failed. */
  readonly isBroken: boolean;
}

interface Concluded {
  readonly end: TurnEnd;
  /** Of the call. */
  readonly outcome: InvocationOutcome;
}

/** One run of a handler, from its admission to its durable end. Begins when it is made. */
export class Turn {
  /** What the handler says first decides whether there is a task to show. */
  readonly opened: Promise<'message' | 'task'>;
  readonly ended: Promise<TurnEnd>;
  /** Resolves when the ledger, too, knows of the end; never rejects. */
  readonly closed: Promise<void>;
  readonly #abort = new AbortController();
  readonly #writer: ChangeWriter;
  readonly #id: Uuid;
  #open: (how: 'message' | 'task') => void = () => undefined;
  #stopReason: StopReason | undefined;
  #isShown = false;
  #isAnswered = false;
  #isOver = false;
  #resultDigest: string | null = null;
  #stillRuns: Promise<void> | null = null;

  constructor(
    private readonly parts: TurnParts,
    private readonly order: TurnOrder,
  ) {
    const { invocationId } = order.call.grant;
    this.#id = order.stored.task.id as Uuid;
    this.#writer = new ChangeWriter(
      (changes) => parts.tasks.record(this.#id, invocationId, changes),
      () => this.#stop('past'),
    );
    this.opened = new Promise((resolve) => {
      this.#open = resolve;
    });
    // What a direct invoke gives is always a task.
    if (order.direct !== null) this.#open('task');
    const run = this.#run();
    this.ended = run.then(({ end }) => end);
    this.closed = run.then(
      ({ outcome }) => this.#close(outcome),
      // The end of the turn could not be recorded; what the handler did by then, nobody looked at.
      () => this.#close('outcome-unknown'),
    );
    // Whoever waits for the end sees it reject; nobody has to.
    this.ended.catch((error: unknown) => parts.fault(error, order.origin.correlationId));
  }

  get taskId(): Uuid {
    return this.#id;
  }

  /** The task is shown before its end. False when it is too late: there will be a message instead. */
  show(): boolean {
    if (this.#isAnswered) return false;
    this.#isShown = true;
    return true;
  }

  /**
   * What the implementation still does after the end of its turn, to which nobody listens: resolves
   * when it is over, which may be never. Null: it does nothing any more.
   */
  get stillRuns(): Promise<void> | null {
    return this.#stillRuns;
  }

  /** The node stops. */
  stop(): void {
    this.#stop('node-stops');
  }

  #stop(reason: StopReason): void {
    this.#stopReason ??= reason;
    this.#abort.abort();
  }

  async #run(): Promise<Concluded> {
    const { implementation, call } = this.order;
    const watch = this.#watch();
    try {
      const heard = await hear(
        implementation,
        givenCall({ signal: this.#abort.signal, ...call, token: this.#token }),
        {
          began: ({ kind }) => this.#open(kind === 'message' ? 'message' : 'task'),
          said: (change) => {
            this.#note(change);
            return this.#writer.add(change, weightOf(change));
          },
          left: (over) => this.#leave(over),
        },
      );
      return await this.#conclude(heard);
    } finally {
      this.#isOver = true;
      watch.end();
      this.#open('task');
    }
  }

  #leave(over: Promise<void>): void {
    this.#stillRuns = over;
    void over.then(() => {
      this.#stillRuns = null;
    });
  }

  /** Nobody speaks for the caller any more once the call is over, or was told to end. */
  readonly #token: CapabilityCall['token'] = async (audience) => {
    if (this.#isOver || this.#abort.signal.aborted) throw new Error('the call is over');
    return await this.order.call.token(audience);
  };

  #watch(): TurnWatch {
    const { tasks, clock, fault } = this.parts;
    const { call, stored, origin } = this.order;
    return new TurnWatch({
      ...{ tasks, clock, stored, deadline: call.grant.deadline },
      stop: (reason) => this.#stop(reason),
      fault: (error) => fault(error, origin.correlationId),
    });
  }

  #note(change: TaskChange): void {
    if (!this.order.takesArguments || change.kind !== 'artifact') return;
    this.#resultDigest = resultDigestOf(change.artifact);
  }

  async #conclude(heard: Heard): Promise<Concluded> {
    const { correlationId } = this.order.origin;
    if (heard.kind === 'threw') this.parts.fault(heard.error, correlationId);
    if (heard.kind === 'broken') {
      const handler = this.order.stored.binding?.handler;
      this.parts.fault(new Error(`handler ${String(handler)} says ${heard.how}`), correlationId);
    }
    const last = concluding(heard, {
      reason: this.#stopReason ?? 'past',
      isShown: this.#isShown,
      correlationId,
      direct: this.order.direct,
    });
    try {
      if (last === 'past') return await this.#past();
      this.#isAnswered = last.change.kind === 'answer';
      const recorded = await this.#writer.finish(last.change);
      if (!recorded.ok) return await this.#past();
      const end = { stored: recorded.value, isBroken: heard.kind === 'broken' };
      return { end, outcome: last.outcome };
    } catch (error) {
      this.parts.fault(error, correlationId);
      return await this.#unwritten();
    }
  }

  /** What was said could not be recorded; that it ended so can be, unless the store is away. */
  async #unwritten(): Promise<Concluded> {
    const { call, origin, direct } = this.order;
    const { change, outcome } = unwritten(origin.correlationId, direct);
    const recorded = await this.parts.tasks.record(this.#id, call.grant.invocationId, [change]);
    if (recorded.ok) return { end: { stored: recorded.value, isBroken: false }, outcome };
    // It was ended by somebody else, or by what only seemed to be lost.
    const stored = recorded.error.task;
    const isCanceled = outcomeOfPast(stored) === 'canceled';
    return {
      end: { stored, isBroken: false },
      outcome: isCanceled ? 'canceled' : 'outcome-unknown',
    };
  }

  /** Somebody else has ended the turn. */
  async #past(): Promise<Concluded> {
    await this.#writer.abandon();
    const stored = await this.parts.tasks.load(this.#id);
    if (stored === undefined) throw new Error(`task ${this.#id} is gone while its turn runs`);
    return { end: { stored, isBroken: false }, outcome: outcomeOfPast(stored) };
  }

  async #close(outcome: InvocationOutcome): Promise<void> {
    const { call, origin } = this.order;
    try {
      const result = outcome === 'succeeded' ? this.#resultDigest : null;
      await this.parts.ledger.end(call.grant.invocationId, outcome, origin, result);
    } catch (error) {
      // After the deadline it is recorded as the task tells it.
      this.parts.fault(error, origin.correlationId);
    }
  }
}

function weightOf(change: TaskChange): number {
  if (change.kind === 'artifact') return weightOfParts(change.artifact.parts);
  return change.kind === 'status' ? weightOfParts(change.parts ?? []) : 0;
}
