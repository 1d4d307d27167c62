import { jwkThumbprint } from '../../../kernel/ed25519.js';
import { failure, gap, type Flaw } from '../check-result.js';
import type { PlacedEvent } from './entry.js';
import type { PlatformKeyEvent } from './event-data.js';
import { KeyHistory, unsafePoint, type Ignorance } from './key-history.js';

/** The platform's keys at the present place in the log. */
export class ReplayedPlatformKeys {
  readonly keys = new KeyHistory();
  ignorance: Ignorance | null = null;

  /** Whether the event was allowed; asked before it is recorded. */
  judge(event: PlatformKeyEvent): Flaw | undefined {
    const { keyId } = event.data;
    if (event.type !== 'platform-key-added') {
      if (this.keys.find(keyId) !== undefined) return undefined;
      return this.ignorance === null
        ? failure('key-unregistered', keyId)
        : gap(this.ignorance, keyId);
    }
    const { jwk, jwkThumbprint: thumbprint } = event.data;
    if (thumbprint !== jwkThumbprint(jwk)) return failure('thumbprint-mismatch', keyId);
    if (this.keys.has(keyId, jwk)) return failure('key-repeated', keyId);
    const unsafe = unsafePoint(jwk);
    return unsafe === undefined ? undefined : failure(unsafe, keyId);
  }

  record(event: PlatformKeyEvent, { envelope }: PlacedEvent): void {
    const { revision } = envelope;
    const { keyId } = event.data;
    switch (event.type) {
      case 'platform-key-added':
        this.keys.add(keyId, event.data.jwk, { purpose: event.data.purpose });
        return;
      case 'platform-key-retired':
        this.keys.end(keyId, revision);
        return;
      case 'platform-key-revoked':
        this.keys.revoke(keyId, revision);
    }
  }
}
