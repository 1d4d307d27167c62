/** What the container hands out under these names: see `app.module.ts`. */

/** The {@link import('./config.js').Config}. */
export const CONFIG = Symbol('Config');

/** The {@link import('../kernel/timestamp.js').Clock}. */
export const CLOCK = Symbol('Clock');

/** The random source: `(size: number) => Uint8Array`. */
export const RANDOM_BYTES = Symbol('RandomBytes');

/** The hosted agents: `readonly HostedAgent[]`, the default one first. */
export const HOSTED_AGENTS = Symbol('HostedAgents');
