import { LRUCache } from 'lru-cache';
import type { TaskDirectory, UntoldWebhook } from '../directory/task-directory.js';

/** Looked at in one round; the next round goes on after them. */
const TENANTS = 50;
/** Webhooks looked at in one round, of all these tenants. */
const ROUND = 500;
/** Tenants of which it is remembered how far they were looked through; others begin anew. */
const REMEMBERED_TENANTS = 10_000;

/**
 * Looks through the webhooks with something untold: round by round through the tenants, and through
 * each one's webhooks on its own, so that nobody waits until those of another were looked through.
 */
export class UntoldPages {
  readonly #after = new LRUCache<string, UntoldWebhook>({ max: REMEMBERED_TENANTS });
  #afterTenant: string | undefined;

  constructor(
    private readonly directory: Pick<TaskDirectory, 'untoldTenants' | 'untoldWebhooks'>,
  ) {}

  /** The next webhooks of some tenants, a list for each. */
  next(): readonly (readonly UntoldWebhook[])[] {
    const tenants = this.directory.untoldTenants(this.#afterTenant, TENANTS);
    this.#afterTenant = tenants.length < TENANTS ? undefined : tenants.at(-1);
    const limit = Math.floor(ROUND / Math.max(tenants.length, 1));
    return tenants.map((tenant) => this.#page(tenant, limit));
  }

  #page(tenant: string, limit: number): readonly UntoldWebhook[] {
    const page = this.directory.untoldWebhooks(tenant, this.#after.get(tenant), limit);
    const last = page.at(-1);
    if (last === undefined || page.length < limit) this.#after.delete(tenant);
    else this.#after.set(tenant, last);
    return page;
  }
}
