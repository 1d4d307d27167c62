import type { KeyStore } from '../../../src/event-store/key-store.js';
import type { Elsewhere } from '../support/child.js';

/** One fresh, empty set of keys in the engine that is tested. */
export interface TestKeys {
  /** One more instance on the same keys; closed when the keys are disposed of. */
  open(): Promise<KeyStore>;

  /** How another process opens them. */
  readonly elsewhere: Elsewhere;

  /** The settings in force under which a key that was handed out might not be on disk. */
  unsafeSettings(): Promise<readonly string[]>;

  dispose(): Promise<void>;
}

export type KeysFactory = () => Promise<TestKeys>;
