import { jwkThumbprint } from '../../../kernel/ed25519.js';
import { failure, gap, type Flaw } from '../check-result.js';
import type { PlacedEvent } from './entry.js';
import { illegal } from './erasure-rules.js';
import type { PlatformKeyEvent } from './event-data.js';
import { KeyHistory, unsafePoint, type Ignorance } from './key-history.js';

type DataOf<Type extends PlatformKeyEvent['type']> = Extract<
  PlatformKeyEvent,
  { type: Type }
>['data'];

/** The platform's keys at the present place in the log. */
export class ReplayedPlatformKeys {
  readonly keys = new KeyHistory();
  ignorance: Ignorance | null = null;
  /** By id: the stream's revision that added it, and the place in the log of the event that retired it. */
  readonly #addedAt = new Map<string, number>();
  readonly #retiredAt = new Map<string, number>();

  /** Whether the event was allowed; asked before it is recorded. */
  judge(event: PlatformKeyEvent): Flaw | undefined {
    switch (event.type) {
      case 'platform-key-added':
        return this.#additionFlaw(event.data);
      case 'platform-key-retired':
        return this.#retirementFlaw(event.data);
      case 'platform-key-revoked': {
        const { keyId } = event.data;
        const key = this.keys.find(keyId);
        if (key === undefined) return this.#unknown(keyId);
        // A retired key may still be revoked: that it was stolen can turn out later.
        return key.revoked ? illegal(`${keyId} was revoked before`) : undefined;
      }
    }
  }

  /** One id, one public key, one purpose: for ever. */
  #additionFlaw({
    keyId,
    jwk,
    jwkThumbprint: thumbprint,
  }: DataOf<'platform-key-added'>): Flaw | undefined {
    if (thumbprint !== jwkThumbprint(jwk)) return failure('thumbprint-mismatch', keyId);
    if (this.keys.has(keyId, jwk)) return failure('key-repeated', keyId);
    const unsafe = unsafePoint(jwk);
    return unsafe === undefined ? undefined : failure(unsafe, keyId);
  }

  /** A key that may sign takes over from one of its purpose that may too and was added before it. */
  #retirementFlaw({ keyId, replacedBy }: DataOf<'platform-key-retired'>): Flaw | undefined {
    const key = this.keys.find(keyId);
    if (key === undefined) return this.#unknown(keyId);
    if (key.endedAt !== null) return illegal(`${keyId} had ended already`);
    const successor = this.keys.find(replacedBy);
    if (successor === undefined) return this.#unknown(replacedBy);
    if (successor.endedAt !== null) return illegal(`${replacedBy} had ended already`);
    if (successor.purpose !== key.purpose) return illegal(`${replacedBy} has another purpose`);
    return this.wasAddedBy(replacedBy, this.#addedAt.get(keyId) ?? 0)
      ? illegal(`${replacedBy} was not added later`)
      : undefined;
  }

  #unknown(keyId: string): Flaw {
    return this.ignorance === null
      ? failure('key-unregistered', keyId)
      : gap(this.ignorance, keyId);
  }

  /** Was the key there at this head of the stream? */
  wasAddedBy(keyId: string, head: number): boolean {
    return (this.#addedAt.get(keyId) ?? Infinity) <= head;
  }

  /**
   * May a node that decided at this head have taken a retired key for the current one? Between the look at
   * the head and the append of what was decided there may be a rotation, however long that takes. But
   * the node had read the stream that it appended to before it looked, and the engines show nobody
   * who has read an event less than what stands before that: so the retirement stands behind the last
   * event of that stream.
   *
   * @param decidedAfter place of that event in the log
   */
  mayBeOvertaken(keyId: string, head: number, decidedAfter: number): boolean {
    const endedAt = this.keys.find(keyId)?.endedAt ?? -1;
    return endedAt > head && (this.#retiredAt.get(keyId) ?? -1) > decidedAfter;
  }

  record(event: PlatformKeyEvent, { envelope, index }: PlacedEvent): void {
    const { revision, recordedAt } = envelope;
    const { keyId } = event.data;
    switch (event.type) {
      case 'platform-key-added':
        this.keys.add(keyId, event.data.jwk, recordedAt, { purpose: event.data.purpose });
        this.#addedAt.set(keyId, revision);
        return;
      case 'platform-key-retired':
        this.keys.end(keyId, revision);
        // The first time: who writes the log could repeat it behind whatever they like.
        if (this.#addedAt.has(keyId) && !this.#retiredAt.has(keyId)) {
          this.#retiredAt.set(keyId, index);
        }
        return;
      case 'platform-key-revoked':
        this.keys.revoke(keyId, revision);
    }
  }
}
