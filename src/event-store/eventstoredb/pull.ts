import type {
  AllStreamResolvedEvent,
  Position as LogPosition,
  ResolvedEvent,
} from '@eventstore/db-client';
import { EventStoreUnavailable } from '../port.js';

/** A read or a subscription of the client, by what is used of it. */
interface ClientStream {
  on(event: string, listener: (error: unknown) => void): unknown;
  read(): unknown;
  resume(): unknown;
  removeAllListeners(event: string): unknown;
  readonly cancel?: () => Promise<void>;
  readonly unsubscribe?: () => Promise<void>;
}

export type Pulled =
  | {
      readonly kind: 'event';
      readonly event: NonNullable<ResolvedEvent['event'] | AllStreamResolvedEvent['event']>;
    }
  /** A filter has let nothing through since, up to here. */
  | { readonly kind: 'checkpoint'; readonly position: LogPosition }
  /** Whatever was in the log when the subscription began has been given. */
  | { readonly kind: 'caught-up' }
  /** Nothing came for so long as the caller would wait. */
  | { readonly kind: 'quiet' }
  | { readonly kind: 'end' };

/**
 * One read or subscription, pulled item by item in the order in which the server sent them: the
 * client tells of checkpoints and of having caught up as soon as it hears of them, while events are
 * still in its buffers.
 */
export class Pull {
  #fault: { readonly error: unknown } | undefined;
  #hasEnded = false;
  #hasCaughtUp = false;
  #checkpoint: LogPosition | undefined;
  #wake: () => void = () => undefined;

  constructor(private readonly stream: ClientStream) {
    const wake = (): void => {
      this.#wake();
    };
    // For good: the client tells a stream of a lost connection also after nobody reads it any more,
    // and an error without a listener ends the process.
    stream.on('error', (error) => {
      this.#fault ??= { error };
      wake();
    });
    stream.on('readable', wake);
    stream.on('end', () => {
      this.#hasEnded = true;
      wake();
    });
    stream.on('caughtUp', () => {
      this.#hasCaughtUp = true;
      wake();
    });
  }

  /** For the client's callback. */
  noteCheckpoint(position: LogPosition): void {
    this.#checkpoint = position;
    this.#wake();
  }

  /**
   * The next item; `end` also once the signal has aborted.
   * @throws what the client says of a failed call.
   */
  async next(quietMs: number, signal?: AbortSignal): Promise<Pulled> {
    for (;;) {
      if (signal?.aborted === true) return { kind: 'end' };
      const item = this.stream.read() as ResolvedEvent | null;
      if (item !== null) {
        // A link whose event is gone has none.
        if (item.event !== undefined) return { kind: 'event', event: item.event };
        continue;
      }
      if (this.#fault !== undefined) throw this.#fault.error;
      if (this.#checkpoint !== undefined) {
        const position = this.#checkpoint;
        this.#checkpoint = undefined;
        return { kind: 'checkpoint', position };
      }
      if (this.#hasCaughtUp) {
        this.#hasCaughtUp = false;
        return { kind: 'caught-up' };
      }
      if (this.#hasEnded) return { kind: 'end' };
      if (!(await this.#something(quietMs, signal))) return { kind: 'quiet' };
    }
  }

  /** Ends the call on the server too. What is still in the buffers flows away: unread, it would keep the
   * client from ever forgetting the call. */
  stop(): void {
    const ended = this.stream.cancel?.() ?? this.stream.unsubscribe?.();
    ended?.catch(() => undefined);
    this.stream.removeAllListeners('readable');
    this.stream.resume();
  }

  /** False when it did not come in time. */
  async #something(quietMs: number, signal: AbortSignal | undefined): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined;
    let wake: (() => void) | undefined;
    try {
      return await new Promise<boolean>((resolve) => {
        wake = () => {
          resolve(true);
        };
        this.#wake = wake;
        signal?.addEventListener('abort', wake);
        timer = setTimeout(() => {
          resolve(false);
        }, quietMs);
      });
    } finally {
      clearTimeout(timer);
      if (wake !== undefined) signal?.removeEventListener('abort', wake);
      this.#wake = () => undefined;
    }
  }
}

export function noAnswer(milliseconds: number): EventStoreUnavailable {
  return new EventStoreUnavailable(`EventStoreDB has not answered for ${String(milliseconds)} ms`);
}
