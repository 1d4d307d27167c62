import { ERASED, type Erased } from '../kernel/event.js';
import type { Clock } from '../kernel/timestamp.js';
import type { DataKey, KeyStore } from './key-store.js';
import { WriteWatch } from './write-watch.js';

/** A key store that remembers whether its last write failed: without new keys nothing new is sealed. */
export class WatchedKeyStore implements KeyStore {
  readonly #watch: WriteWatch;

  constructor(
    private readonly inner: KeyStore,
    clock: Clock,
  ) {
    this.#watch = new WriteWatch('KEY_STORE', clock);
  }

  /** See {@link WriteWatch.canWrite}. */
  get canWrite(): boolean {
    return this.#watch.canWrite;
  }

  async obtain(scope: string): Promise<DataKey | Erased> {
    // While writes fail, a key that is there already is no sign that they do not.
    const known = this.canWrite ? undefined : await this.inner.find(scope);
    return await (known ?? this.#watch.over(() => this.inner.obtain(scope)));
  }

  find(scope: string): Promise<DataKey | Erased | undefined> {
    return this.inner.find(scope);
  }

  findAll(scopes: readonly string[]): Promise<ReadonlyMap<string, DataKey | Erased>> {
    return this.inner.findAll(scopes);
  }

  /** A key that is destroyed, and whose old bytes a reader keeps for now, is no failed write. */
  async destroy(scope: string): Promise<void> {
    await this.#watch.over(
      () => this.inner.destroy(scope),
      async () => (await this.inner.find(scope)) === ERASED,
    );
  }

  close(): Promise<void> {
    return this.inner.close();
  }
}
