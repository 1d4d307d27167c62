import type { Uuid } from '../kernel/ids.js';
import type { ApprovalPlace, PlacedCall } from './commands/approval-ledger.js';

interface Taken {
  /** Who would request the call: the same message may come twice at once. */
  holders: number;
  /** Of the request, in milliseconds since the epoch; null before it is on record. */
  expiresAt: number | null;
}

type Pair = Pick<PlacedCall, 'calling' | 'hosted'>;

/**
 * Places of this process that the view of approvals does not show yet: calls that are about to be
 * requested, and those that were, until the view has them. Whoever counts them with what the view
 * shows, and takes one in the same turn of the event loop, counts all that this process has let in.
 */
export class ApprovalPlaces {
  readonly #taken = new Map<string, Map<Uuid, Taken>>();

  /** Whether somebody has one for this very call: another holder of it takes no other place. */
  has({ invocationId, ...pair }: PlacedCall): boolean {
    return this.#taken.get(keyOf(pair))?.has(invocationId) === true;
  }

  take({ invocationId, ...pair }: PlacedCall): ApprovalPlace {
    const key = keyOf(pair);
    const places = this.#taken.get(key) ?? new Map<Uuid, Taken>();
    const place = places.get(invocationId) ?? { holders: 0, expiresAt: null };
    place.holders++;
    this.#taken.set(key, places.set(invocationId, place));
    return {
      release: () => {
        place.holders--;
        if (place.holders > 0 || place.expiresAt !== null) return;
        if (this.#taken.get(key)?.get(invocationId) === place) this.#drop(key, [invocationId]);
      },
    };
  }

  /** The call is on record: its place is taken until the view shows it. */
  requested({ invocationId, ...pair }: PlacedCall, expiresAt: number): void {
    const place = this.#taken.get(keyOf(pair))?.get(invocationId);
    if (place !== undefined) place.expiresAt = expiresAt;
  }

  /**
   * How many there are between two agents. Those that the view shows, and those that it will never
   * show, are none any more.
   * @param now in milliseconds since the epoch
   * @param shown which of some calls the view has, whatever became of them
   */
  count(
    pair: Pair,
    now: number,
    shown: (invocationIds: readonly Uuid[]) => ReadonlySet<Uuid>,
  ): number {
    const key = keyOf(pair);
    const places = [...(this.#taken.get(key) ?? [])];
    if (places.length === 0) return 0;
    const seen = shown(places.map(([invocationId]) => invocationId));
    const over = places
      .filter(([id, { expiresAt }]) => seen.has(id) || (expiresAt !== null && expiresAt <= now))
      .map(([id]) => id);
    this.#drop(key, over);
    return places.length - over.length;
  }

  #drop(key: string, over: readonly Uuid[]): void {
    const places = this.#taken.get(key);
    for (const invocationId of over) places?.delete(invocationId);
    if (places?.size === 0) this.#taken.delete(key);
  }
}

function keyOf({ calling, hosted }: Pair): string {
  return JSON.stringify([calling, hosted]);
}
