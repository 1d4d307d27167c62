import type { EventStore } from '../../event-store/port.js';
import type { Uuid } from '../../kernel/ids.js';
import type { Reporter } from '../../kernel/reporter.js';
import { Alarm } from '../../processes/alarm.js';
import { TASK_STREAMS, taskOfStream } from './domain/streams.js';

/** Rings when a task has new events, in whichever process they were made. */
export interface TaskBell {
  /** Resolves at the next ring, or at once when it has rung since the last wait. */
  wait(signal: AbortSignal): Promise<void>;
  /** It will not ring any more: the feed is closed. */
  readonly isDone: boolean;
  close(): void;
}

/** A look at the task at least so often, in milliseconds. */
const LONGEST_WAIT_MS = 30_000;
const RETRY_MS = 500;
/** The subscription outlives its last listener for a while: another one comes soon. */
const LINGER_MS = 5_000;

/**
 * Tells everybody in this process who watches a task that it has changed: by one subscription to the
 * whole store, which runs while somebody listens. It hands out no events, so that it buffers none:
 * each watcher reads its task's stream at its own pace, and a slow one slows nobody.
 */
export class TaskFeed {
  readonly #bells = new Map<Uuid, Set<Alarm>>();
  #subscription: { readonly stop: AbortController; readonly begun: Promise<void> } | undefined;
  #running: Promise<void> = Promise.resolve();
  #linger: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(
    private readonly store: Pick<EventStore, 'head' | 'subscribeAll'>,
    private readonly report: Reporter,
  ) {}

  /** Once this has resolved, no event of the task is missed: look at the stream after that. */
  async listen(id: Uuid): Promise<TaskBell> {
    const alarm = new Alarm();
    const bells = this.#bells.get(id) ?? new Set();
    this.#bells.set(id, bells.add(alarm));
    clearTimeout(this.#linger);
    this.#linger = undefined;
    this.#subscription ??= this.#subscribe();
    await this.#subscription.begun;
    const isDone = (): boolean => this.#isClosed;
    return {
      wait: async (signal) => await alarm.sleep(LONGEST_WAIT_MS, signal),
      get isDone() {
        return isDone();
      },
      close: () => {
        bells.delete(alarm);
        if (bells.size === 0 && this.#bells.get(id) === bells) this.#bells.delete(id);
        if (this.#bells.size === 0) this.#lingerOn();
      },
    };
  }

  /** The task has new events: said at once for those of this process. */
  ring(id: Uuid): void {
    for (const alarm of this.#bells.get(id) ?? []) alarm.ring();
  }

  /** Wakes whoever waits for a bell, and ends all bells. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#stop();
    this.#ringAll();
    await this.#running;
  }

  #lingerOn(): void {
    this.#linger ??= setTimeout(() => {
      this.#stop();
    }, LINGER_MS).unref();
  }

  #stop(): void {
    clearTimeout(this.#linger);
    this.#linger = undefined;
    this.#subscription?.stop.abort();
    this.#subscription = undefined;
  }

  #subscribe(): { readonly stop: AbortController; readonly begun: Promise<void> } {
    const stop = new AbortController();
    let begin: () => void = () => undefined;
    const begun = new Promise<void>((resolve) => (begin = resolve));
    const before = this.#running;
    this.#running = before.then(async () => await this.#follow(stop.signal, begin));
    return { stop, begun };
  }

  async #follow(signal: AbortSignal, begin: () => void): Promise<void> {
    const filter = { streamPrefixes: [TASK_STREAMS] };
    while (!signal.aborted && !this.#isClosed) {
      try {
        const after = await this.store.head();
        begin();
        // Whatever was missed since an earlier subscription broke lies before the new one's begin.
        this.#ringAll();
        for await (const message of this.store.subscribeAll(after, { filter, signal })) {
          if (message.kind === 'event') this.ring(taskOfStream(message.event.stream));
        }
      } catch (error) {
        this.report('watchers of tasks are told late', { error });
      }
      await new Alarm().sleep(RETRY_MS, signal);
    }
    begin();
  }

  #ringAll(): void {
    for (const bells of this.#bells.values()) for (const alarm of bells) alarm.ring();
  }
}
