import { LRUCache } from 'lru-cache';
import type { UntoldWebhook } from '../directory/task-directory.js';
import { Tally } from '../../../kernel/tally.js';

/** Whose webhook, and where: scheme, host, port. */
type Target = Pick<UntoldWebhook, 'tenant' | 'origin'>;

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
/** Posts of one tenant under way to one origin. */
const POSTS_AT_ONCE = 4;
/** Posts of all tenants under way to one origin, which may have asked for none of them. */
const POSTS_TO_ORIGIN = 16;
const REMEMBERED_TARGETS = 10_000;

/**
 * Which targets may be tried now. A few posts at once; after some failures in a row none for a
 * while, then one alone to find out, so that a dead target holds up no other. Each tenant has a
 * circuit of its own to an origin: its webhooks there may fail where those of others do not.
 */
export class Circuits {
  readonly #circuits = new LRUCache<string, Circuit>({ max: REMEMBERED_TARGETS });
  readonly #underWay = new Tally();
  readonly #toOrigin = new Tally();

  mayTry(target: Target, now: number): boolean {
    const key = keyOf(target);
    const { failures, openUntil } = this.#circuits.get(key) ?? CLOSED;
    const underWay = this.#underWay.of(key);
    if (this.#toOrigin.of(target.origin) >= POSTS_TO_ORIGIN) return false;
    if (failures < MAX_FAILURES) return underWay < POSTS_AT_ONCE;
    return now >= openUntil && underWay === 0;
  }

  begin(target: Target): void {
    this.#underWay.add(keyOf(target));
    this.#toOrigin.add(target.origin);
  }

  end(target: Target): void {
    this.#underWay.take(keyOf(target));
    this.#toOrigin.take(target.origin);
  }

  succeeded(target: Target): void {
    this.#circuits.delete(keyOf(target));
  }

  failed(target: Target, now: number): void {
    const key = keyOf(target);
    const failures = (this.#circuits.get(key)?.failures ?? 0) + 1;
    const pause = FIRST_PAUSE_MS * 2 ** Math.min(Math.max(failures - MAX_FAILURES, 0), 10);
    this.#circuits.set(key, { failures, openUntil: now + Math.min(pause, LONGEST_PAUSE_MS) });
  }
}

function keyOf({ tenant, origin }: Target): string {
  return JSON.stringify([tenant, origin]);
}
