import type { Recorded } from '../../kernel/event.js';
import type { KeyId } from '../../kernel/ids.js';
import type { PlatformKeyEvent } from './events.js';
import type { PlatformKey, PlatformKeys } from './platform-key.js';

/** Records; every key stays in the state for ever. */
export function evolve(keys: PlatformKeys, event: Recorded<PlatformKeyEvent>): PlatformKeys {
  switch (event.type) {
    case 'platform-key-added': {
      const { keyId, purpose, jwk } = event.data;
      const added: PlatformKey = {
        keyId,
        purpose,
        jwk,
        from: event.recordedAt,
        addedAtRevision: event.revision,
        retiredAt: null,
        revoked: null,
      };
      return new Map(keys).set(keyId, added);
    }
    case 'platform-key-retired':
      return changed(keys, event.data.keyId, { retiredAt: event.recordedAt });
    case 'platform-key-revoked': {
      const { reason } = event.data;
      const revoked = { at: event.recordedAt, reason, revision: event.revision };
      return changed(keys, event.data.keyId, { revoked });
    }
  }
}

function changed(keys: PlatformKeys, keyId: KeyId, change: Partial<PlatformKey>): PlatformKeys {
  const key = keys.get(keyId);
  return key === undefined ? keys : new Map(keys).set(keyId, { ...key, ...change });
}
