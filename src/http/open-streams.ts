import type { Caller } from '../kernel/caller.js';
import { RejectionException } from './rejection-exception.js';

export interface StreamLimits {
  readonly perNode: number;
  /** Of one caller; all anonymous callers are one. */
  readonly perOwner: number;
}

/** Under what the open streams of a caller are counted. */
export function ownerKey(caller: Caller | null): string {
  return caller === null ? '' : JSON.stringify([caller.tenant, caller.principal]);
}

/** The streams that this node serves: bounded, and ended when it stops. */
export class OpenStreams {
  readonly #open = new Set<AbortController>();
  readonly #ofOwner = new Map<string, number>();

  constructor(private readonly limits: StreamLimits) {}

  /**
   * @param ends aborted when the node stops
   * @returns to be called when the stream has ended
   * @throws {RejectionException} `too-many-streams`
   */
  open(owner: string, ends: AbortController): () => void {
    const count = this.#ofOwner.get(owner) ?? 0;
    if (this.#open.size >= this.limits.perNode || count >= this.limits.perOwner) {
      throw new RejectionException({ code: 'too-many-streams' });
    }
    this.#open.add(ends);
    this.#ofOwner.set(owner, count + 1);
    return () => {
      if (!this.#open.delete(ends)) return;
      const left = (this.#ofOwner.get(owner) ?? 1) - 1;
      if (left === 0) this.#ofOwner.delete(owner);
      else this.#ofOwner.set(owner, left);
    };
  }

  /** Ends all streams; clients go on elsewhere by `Last-Event-ID`. */
  end(): void {
    for (const ends of this.#open) ends.abort();
  }
}
