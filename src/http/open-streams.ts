import { countedAs, tenantCountedAs, type Caller } from '../kernel/caller.js';
import { Tally } from '../kernel/tally.js';
import { RejectionException } from './rejection-exception.js';

export interface StreamLimits {
  readonly perNode: number;
  /** Of one tenant, whatever callers it has: the others have their part. */
  readonly perTenant: number;
  /** Of one caller; all anonymous callers are one. */
  readonly perOwner: number;
}

/** The streams that this node serves: bounded, and ended when it stops. */
export class OpenStreams {
  readonly #open = new Set<AbortController>();
  readonly #ofTenant = new Tally();
  readonly #ofOwner = new Tally();

  constructor(private readonly limits: StreamLimits) {}

  /**
   * @param caller null without a token
   * @param ends aborted when the node stops
   * @returns to be called when the stream has ended
   * @throws {RejectionException} `too-many-streams`
   */
  open(caller: Caller | null, ends: AbortController): () => void {
    const { perNode, perTenant, perOwner } = this.limits;
    const tenant = tenantCountedAs(caller);
    const owner = countedAs(caller);
    if (
      this.#open.size >= perNode ||
      this.#ofTenant.of(tenant) >= perTenant ||
      this.#ofOwner.of(owner) >= perOwner
    ) {
      throw new RejectionException({ code: 'too-many-streams' });
    }
    this.#open.add(ends);
    this.#ofTenant.add(tenant);
    this.#ofOwner.add(owner);
    return () => {
      if (!this.#open.delete(ends)) return;
      this.#ofTenant.take(tenant);
      this.#ofOwner.take(owner);
    };
  }

  /** Ends all streams; clients go on elsewhere by `Last-Event-ID`. */
  end(): void {
    for (const ends of this.#open) ends.abort();
  }
}
