import { INTERACTION_EVENT_TYPES } from '../interactions/event-types.js';
import { INVOCATION_EVENT_TYPES } from '../invocations/event-types.js';
import { AutoAcceptanceProcess } from './auto-acceptance.js';
import { ERASURE_PROCESS, ErasureProcess } from './erasure.js';
import type { Agents, DataKeys, Interactions } from './ports.js';
import { ExpiryProcess } from './expiry.js';
import type { ProcessHealth } from './process-health.js';
import { RepeatedTerms } from './repeated-terms.js';
import { RetentionNotes } from './retention-notes.js';
import { ProcessRunner, type ProcessRunnerOptions } from './process-runner.js';

export interface ProcessesOptions extends Omit<ProcessRunnerOptions<never>, 'types'> {
  readonly interactions: Interactions;
  readonly agents: Agents;
  readonly keys: DataKeys;
}

/** All processes of a node, each with its runner. */
export class Processes {
  readonly #runners: readonly {
    start(): void;
    stop(): Promise<void>;
    health(): Promise<ProcessHealth>;
  }[];

  constructor({ interactions, agents, keys, ...rest }: ProcessesOptions) {
    const options = { ...rest, types: { ...INTERACTION_EVENT_TYPES, ...INVOCATION_EVENT_TYPES } };
    const { store, clock, node, random } = rest;
    const repeated = new RepeatedTerms(store);
    const notes = new RetentionNotes({ name: ERASURE_PROCESS, node, clock, random }, store);
    this.#runners = [
      new ProcessRunner(new ExpiryProcess(interactions), options),
      new ProcessRunner(new AutoAcceptanceProcess(interactions, agents), options),
      new ProcessRunner(
        new ErasureProcess({ interactions, keys, repeated, notes, store, clock }),
        options,
      ),
    ];
  }

  /** Returns at once. */
  start(): void {
    for (const runner of this.#runners) runner.start();
  }

  /** Lets what is under way finish and hands over to the other nodes. Before the store is closed. */
  async stop(): Promise<void> {
    await Promise.all(this.#runners.map(async (runner) => await runner.stop()));
  }

  /** Never fails. */
  async health(): Promise<readonly ProcessHealth[]> {
    return await Promise.all(this.#runners.map(async (runner) => await runner.health()));
  }
}
