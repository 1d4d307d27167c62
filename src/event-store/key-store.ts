import type { Erased } from '../kernel/event.js';

/** 32 bytes for AES-256-GCM. */
export type DataKey = Uint8Array;

/**
 * Keeps the data keys under which texts are sealed: one per scope (an interaction, otherwise a
 * stream). Destroying a key erases the texts without touching the log.
 */
export interface KeyStore {
  /**
   * The scope's key, made on the first call and durable before it is returned. `erased` once the
   * key was destroyed: a destroyed scope never gets another key. Concurrent calls get one key.
   */
  obtain(scope: string): Promise<DataKey | Erased>;

  /** The scope's key, `erased` when it was destroyed, undefined when there never was one. */
  find(scope: string): Promise<DataKey | Erased | undefined>;

  /**
   * What `find` says of many scopes, in one look at the store: for whoever reads the whole log. A
   * scope that never had a key is absent.
   */
  findAll(scopes: readonly string[]): Promise<ReadonlyMap<string, DataKey | Erased>>;

  /** Destroys the key for ever; durable before it returns. Idempotent; a scope without a key too. */
  destroy(scope: string): Promise<void>;

  close(): Promise<void>;
}
