import { setMaxListeners } from 'node:events';

/**
 * A signal that aborts with the first of others, or when its time is over. What `AbortSignal.any` gives may be
 * lost before that: on node 20 it is forgotten when garbage is collected while nothing but a request
 * waits for it (https://github.com/nodejs/node/issues/57736), and then nothing ever ends the request.
 */
export class LinkedSignal {
  readonly #controller = new AbortController();
  readonly #timer: NodeJS.Timeout | undefined;
  readonly #unlink: (() => void)[] = [];

  /** @param limitMs from now on, in milliseconds; undefined for no limit */
  constructor(signals: readonly AbortSignal[], limitMs?: number) {
    for (const signal of signals) this.#follow(signal);
    if (limitMs === undefined || this.signal.aborted) return;
    this.#timer = setTimeout(() => {
      this.#abort(new DOMException('It took too long.', 'TimeoutError'));
    }, limitMs);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** To be called when nobody waits any more: without it the others and the time hold on to it. */
  end(): void {
    clearTimeout(this.#timer);
    for (const unlink of this.#unlink.splice(0)) unlink();
  }

  #abort(reason: unknown): void {
    this.end();
    this.#controller.abort(reason);
  }

  #follow(signal: AbortSignal): void {
    const abort = (): void => {
      this.#abort(signal.reason);
    };
    if (signal.aborted) {
      abort();
      return;
    }
    // Of a signal that ends a whole part of the service, many requests wait at once.
    setMaxListeners(0, signal);
    signal.addEventListener('abort', abort);
    this.#unlink.push(() => {
      signal.removeEventListener('abort', abort);
    });
  }
}
