import { Injectable } from '@nestjs/common';
import type { Uuid } from '../kernel/ids.js';

type Listener = (invocationId: Uuid) => void;

/** Tells within this process, at once, that an approval was decided: a hint, and no more. */
@Injectable()
export class ApprovalDecisions {
  readonly #listeners = new Set<Listener>();

  /** @returns how to stop */
  subscribe(listener: Listener): () => void {
    // Whoever subscribes twice is told twice, and stops each by itself.
    const own: Listener = (invocationId) => {
      listener(invocationId);
    };
    this.#listeners.add(own);
    return () => {
      this.#listeners.delete(own);
    };
  }

  publish(invocationId: Uuid): void {
    for (const listener of this.#listeners) listener(invocationId);
  }
}
