import { RateLimiterMemory } from 'rate-limiter-flexible';
import type { Grant } from '../../invocations/domain/authorization.js';
import { callerKey } from '../tasks/domain/owner.js';
import type { TaskOwner } from '../tasks/domain/task.js';
import { enforcedLimitOf } from './limits.js';

const WINDOW_SECONDS = 60;

/** A call that was counted, to be taken back when it turns out to be none. */
export interface CountedCall {
  /** Until the caller may call again, in whole seconds; null: it may. */
  readonly retryAfterSeconds: number | null;
  takeBack(): void;
}

const UNCOUNTED: CountedCall = { retryAfterSeconds: null, takeBack: () => undefined };

/**
 * Counts the calls of each caller of a capability (the calling agent, whoever speaks for it; without
 * one the principal), under one contract, by the minute that begins with the first of them. Each node counts its own.
 */
export class CallRate {
  /** How many are too many is the manifest's to say, so that the limiter only counts. */
  readonly #calls = new RateLimiterMemory({
    points: Number.MAX_SAFE_INTEGER,
    duration: WINDOW_SECONDS,
  });

  async count({ capability, terms }: Grant, owner: TaskOwner): Promise<CountedCall> {
    const { manifest } = capability;
    const limit = enforcedLimitOf(manifest, 'max_calls_per_minute');
    if (limit === Infinity) return UNCOUNTED;
    const contract = terms?.interactionId ?? null;
    const key = JSON.stringify([manifest.agentId, manifest.id, contract, callerKey(owner)]);
    const { consumedPoints, msBeforeNext } = await this.#calls.consume(key);
    const takeBack = () => void this.#calls.reward(key);
    if (consumedPoints <= limit) return { retryAfterSeconds: null, takeBack };
    // What is refused was no call.
    takeBack();
    return { retryAfterSeconds: Math.ceil(msBeforeNext / 1000), takeBack: () => undefined };
  }
}
