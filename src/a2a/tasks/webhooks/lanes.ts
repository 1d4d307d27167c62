import { Tally } from '../../../kernel/tally.js';

const LANES = 64;
/** However many webhooks one tenant has, and however slow they are, there is room for others. */
const LANES_OF_TENANT = LANES / 4;

/** The webhooks that are being told now. */
export class Lanes {
  readonly #lanes = new Map<string, Promise<void>>();
  readonly #ofTenant = new Tally();

  has(key: string): boolean {
    return this.#lanes.has(key);
  }

  hasRoomFor(tenant: string): boolean {
    return this.#lanes.size < LANES && this.countOf(tenant) < LANES_OF_TENANT;
  }

  countOf(tenant: string): number {
    return this.#ofTenant.of(tenant);
  }

  /** @param telling never fails. */
  open(key: string, tenant: string, telling: Promise<void>): void {
    this.#ofTenant.add(tenant);
    const lane = telling.finally(() => {
      this.#ofTenant.take(tenant);
      this.#lanes.delete(key);
    });
    this.#lanes.set(key, lane);
  }

  async allEnded(): Promise<void> {
    await Promise.all(this.#lanes.values());
  }
}
