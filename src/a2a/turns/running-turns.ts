import type { OnModuleDestroy } from '@nestjs/common';
import type { Manifest } from '../../capabilities/domain/manifest.js';
import type { Uuid } from '../../kernel/ids.js';
import type { Clock } from '../../kernel/timestamp.js';
import { Tally } from '../../kernel/tally.js';
import { callerKey } from '../tasks/domain/owner.js';
import type { TaskOwner } from '../tasks/domain/task.js';
import type { TurnsHere } from '../tasks/port.js';
import { enforcedLimitOf } from './limits.js';
import type { Turn } from './turn.js';

/** Turns under way in one process: more would starve those that are. */
const MAX_TURNS = 2000;
/** … of them of one tenant, whatever callers it has: the others have their part. */
const MAX_TURNS_OF_TENANT = 1000;
/** … of them of one caller; all without a token count as one. */
const MAX_TURNS_OF_ONE = 500;
/** How long the stop of a node waits for handlers that were told to end, in milliseconds. */
const STOP_PATIENCE_MS = 5000;

/**
 * A place among the turns under way. It is free again when the turn has never begun, or has ended and
 * nothing of it runs any more: who cancels a call has not stopped it yet.
 */
export interface Slot {
  /**
   * It is the turn's from now on, which gives it back.
   * @param until when at the latest, if its implementation never settles: milliseconds since the epoch
   */
  occupy(turn: Turn, until: number): void;
  /** Of a turn that never began. */
  release(): void;
}

/** The turns under way in this process: how many, of what, which, and how to end them. */
export class RunningTurns implements OnModuleDestroy, TurnsHere {
  readonly #running = new Map<Slot, Turn | undefined>();
  readonly #byTask = new Map<Uuid, Turn>();
  readonly #byCapability = new Tally();
  readonly #byCaller = new Tally();
  readonly #byTenant = new Tally();
  readonly #background = new Set<Promise<unknown>>();
  #isStopping = false;

  constructor(private readonly clock: Clock) {}

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
      this.#byCapability.of(capability) >= enforcedLimitOf(manifest, 'max_concurrent') ||
      this.#byCaller.of(caller) >= MAX_TURNS_OF_ONE ||
      this.#byTenant.of(tenant) >= MAX_TURNS_OF_TENANT
    ) {
      return undefined;
    }
    this.#byCapability.add(capability);
    this.#byCaller.add(caller);
    this.#byTenant.add(tenant);
    const slot: Slot = {
      occupy: (turn, until) => {
        if (this.#isStopping) turn.stop();
        this.#running.set(slot, turn);
        this.#follow(turn, slot, until);
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

  /** The turn that is under way on a task, if it is under way here. */
  of(taskId: Uuid): Turn | undefined {
    return this.#byTask.get(taskId);
  }

  show(taskId: Uuid): boolean | undefined {
    return this.#byTask.get(taskId)?.show();
  }

  #follow(turn: Turn, slot: Slot, until: number): void {
    const { taskId } = turn;
    this.#byTask.set(taskId, turn);
    const leave = (): void => {
      if (this.#byTask.get(taskId) === turn) this.#byTask.delete(taskId);
      const { stillRuns } = turn;
      // At once, and so before anybody is answered: whoever calls again then finds the place free.
      if (stillRuns === null) slot.release();
      else this.#releaseAfter(stillRuns, slot, until);
    };
    turn.ended.then(leave, leave);
  }

  #releaseAfter(over: Promise<void>, slot: Slot, until: number): void {
    const timer = setTimeout(() => slot.release(), Math.max(0, until - this.clock()));
    timer.unref();
    void over.then(() => {
      clearTimeout(timer);
      slot.release();
    });
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
