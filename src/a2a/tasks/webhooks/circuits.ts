import { LRUCache } from 'lru-cache';

interface Circuit {
  /** One after the other, without a success in between. */
  readonly failures: number;
  /** Milliseconds since the epoch. */
  readonly openUntil: number;
}

const CLOSED: Circuit = { failures: 0, openUntil: 0 };
/** Failures after which a target is left alone for a while. */
const MAX_FAILURES = 5;
const FIRST_PAUSE_MS = 15_000;
const LONGEST_PAUSE_MS = 300_000;
/** Posts under way to one target. */
const POSTS_AT_ONCE = 4;
const REMEMBERED_TARGETS = 10_000;

/**
 * Which targets (scheme, host, port) may be tried now. A few posts at once; after some failures in a
 * row none for a while, then one alone to find out, so that a dead target costs nobody else.
 */
export class Circuits {
  readonly #circuits = new LRUCache<string, Circuit>({ max: REMEMBERED_TARGETS });
  readonly #underWay = new Map<string, number>();

  mayTry(origin: string, now: number): boolean {
    const { failures, openUntil } = this.#circuits.get(origin) ?? CLOSED;
    const underWay = this.#underWay.get(origin) ?? 0;
    if (failures < MAX_FAILURES) return underWay < POSTS_AT_ONCE;
    return now >= openUntil && underWay === 0;
  }

  begin(origin: string): void {
    this.#underWay.set(origin, (this.#underWay.get(origin) ?? 0) + 1);
  }

  end(origin: string): void {
    const left = (this.#underWay.get(origin) ?? 1) - 1;
    if (left === 0) this.#underWay.delete(origin);
    else this.#underWay.set(origin, left);
  }

  succeeded(origin: string): void {
    this.#circuits.delete(origin);
  }

  failed(origin: string, now: number): void {
    const failures = (this.#circuits.get(origin)?.failures ?? 0) + 1;
    const pause = FIRST_PAUSE_MS * 2 ** Math.min(Math.max(failures - MAX_FAILURES, 0), 10);
    this.#circuits.set(origin, { failures, openUntil: now + Math.min(pause, LONGEST_PAUSE_MS) });
  }
}
