import type { OnModuleDestroy } from '@nestjs/common';
import type { Manifest } from '../../capabilities/domain/manifest.js';
import { Tally } from '../tally.js';
import { callerKey } from '../tasks/domain/owner.js';
import type { TaskOwner } from '../tasks/domain/task.js';
import { limitOf } from './limits.js';

/** Turns under way in one process: more would starve those that are. */
const MAX_TURNS = 2000;
/** … of them of one tenant, whatever callers it has: the others have their part. */
const MAX_TURNS_OF_TENANT = 1000;
/** … of them of one caller; all without a token count as one. */
const MAX_TURNS_OF_ONE = 500;
/** How long the stop of a node waits for handlers that were told to end, in milliseconds. */
const STOP_PATIENCE_MS = 5000;

/** Stops a turn from outside. */
export interface Stoppable {
  stop(): void;
  readonly ended: Promise<unknown>;
}

/** A place among the turns under way; given back when the turn has ended, or never began. */
export interface Slot {
  occupy(turn: Stoppable): void;
  release(): void;
}

/** The turns under way in this process: how many, of what, and how to end them. */
export class RunningTurns implements OnModuleDestroy {
  readonly #running = new Map<Slot, Stoppable | undefined>();
  readonly #byCapability = new Tally();
  readonly #byCaller = new Tally();
  readonly #byTenant = new Tally();
  readonly #background = new Set<Promise<unknown>>();
  #isStopping = false;

  /**
   * Undefined when there are too many, of this capability, of this caller, of its tenant or in all, or
   * when the node stops.
   */
  takeSlot(manifest: Manifest, owner: TaskOwner): Slot | undefined {
    const capability = JSON.stringify([manifest.agentId, manifest.id]);
    const caller = callerKey(owner);
    const tenant = owner.kind === 'principal' ? owner.tenant : '';
    if (
      this.#isStopping ||
      this.#running.size >= MAX_TURNS ||
      this.#byCapability.of(capability) >= limitOf(manifest, 'max_concurrent') ||
      this.#byCaller.of(caller) >= MAX_TURNS_OF_ONE ||
      this.#byTenant.of(tenant) >= MAX_TURNS_OF_TENANT
    ) {
      return undefined;
    }
    this.#byCapability.add(capability);
    this.#byCaller.add(caller);
    this.#byTenant.add(tenant);
    const slot: Slot = {
      occupy: (turn) => {
        if (this.#isStopping) turn.stop();
        this.#running.set(slot, turn);
      },
      release: () => {
        if (!this.#running.delete(slot)) return;
        this.#byCapability.take(capability);
        this.#byCaller.take(caller);
        this.#byTenant.take(tenant);
      },
    };
    this.#running.set(slot, undefined);
    return slot;
  }

  /** Work that nobody waits for, but the stop of the node. */
  inBackground(work: Promise<unknown>): void {
    this.#background.add(work);
    void work.finally(() => this.#background.delete(work));
  }

  /** Tells every turn to end, and waits, but not for ever. */
  async onModuleDestroy(): Promise<void> {
    this.#isStopping = true;
    const turns = [...this.#running.values()].filter((turn) => turn !== undefined);
    for (const turn of turns) turn.stop();
    let timer: NodeJS.Timeout | undefined;
    const patience = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, STOP_PATIENCE_MS);
    });
    await Promise.race([patience, this.#all(turns.map(({ ended }) => ended))]);
    clearTimeout(timer);
  }

  async #all(ends: readonly Promise<unknown>[]): Promise<void> {
    await Promise.allSettled(ends);
    await Promise.allSettled(this.#background);
  }
}
