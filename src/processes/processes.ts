import { INTERACTION_EVENT_TYPES } from '../interactions/event-types.js';
import { INVOCATION_EVENT_TYPES } from '../invocations/event-types.js';
import { autoAcceptanceProcess } from './auto-acceptance.js';
import { erasureProcess } from './erasure.js';
import type { Agents, DataKeys, Interactions } from './ports.js';
import { expiryProcess } from './expiry.js';
import type { ProcessHealth } from './process-health.js';
import { RepeatedTerms } from './repeated-terms.js';
import { ProcessManager, type ProcessManagerOptions } from './process-manager.js';

export interface ProcessesOptions extends Omit<ProcessManagerOptions<never>, 'types'> {
  readonly interactions: Interactions;
  readonly agents: Agents;
  readonly keys: DataKeys;
}

/** All process managers of a node. */
export class Processes {
  readonly #managers: readonly {
    start(): void;
    stop(): Promise<void>;
    health(): Promise<ProcessHealth>;
  }[];

  constructor({ interactions, agents, keys, ...rest }: ProcessesOptions) {
    const options = { ...rest, types: { ...INTERACTION_EVENT_TYPES, ...INVOCATION_EVENT_TYPES } };
    const repeated = new RepeatedTerms(rest.store);
    this.#managers = [
      new ProcessManager(expiryProcess(interactions), options),
      new ProcessManager(autoAcceptanceProcess(interactions, agents), options),
      new ProcessManager(
        erasureProcess(interactions, keys, repeated, rest.store, rest.clock),
        options,
      ),
    ];
  }

  /** Returns at once. */
  start(): void {
    for (const manager of this.#managers) manager.start();
  }

  /** Lets what is under way finish and hands over to the other nodes. Before the store is closed. */
  async stop(): Promise<void> {
    await Promise.all(this.#managers.map(async (manager) => manager.stop()));
  }

  /** Never fails. */
  async health(): Promise<readonly ProcessHealth[]> {
    return Promise.all(this.#managers.map(async (manager) => manager.health()));
  }
}
