import { CommandExecution, type RandomBytes } from '../event-store/command-execution.js';
import type { KeyStore } from '../event-store/key-store.js';
import type { EventStore } from '../event-store/port.js';
import type { Clock } from '../kernel/timestamp.js';
import { platformKeyDecider } from './domain/register.js';
import { PLATFORM_KEY_EVENT_TYPES } from './event-types.js';
import type { HeldKey } from './platform-key-file.js';
import { PlatformKeyring } from './platform-keyring.js';

export interface KeyringParts {
  readonly store: EventStore;
  readonly keys: KeyStore;
  readonly clock: Clock;
  readonly random: RandomBytes;
  readonly newId: () => string;
}

/** A keyring over the log that holds the private halves of this node's configuration. */
export function createKeyring(parts: KeyringParts, held: readonly HeldKey[]): PlatformKeyring {
  const execution = new CommandExecution(
    parts.store,
    parts.keys,
    platformKeyDecider,
    PLATFORM_KEY_EVENT_TYPES,
    parts.clock,
    parts.random,
  );
  return new PlatformKeyring(execution, held, parts.newId);
}
