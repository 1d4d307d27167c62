import { hashJson } from '../kernel/digest.js';
import { deriveUuid } from '../kernel/ids.js';
import type { Clock } from '../kernel/timestamp.js';
import type { Agenda, DueItem } from './agenda.js';
import type { ReportFault } from './fault.js';
import type { LeaseAndCheckpoint } from './lease-and-checkpoint.js';
import type { Effect, Process } from './process.js';
import { retryDelay, type ProcessTiming } from './process-timing.js';

/** Effects under way at once: enough for the store to group their appends. */
const EFFECTS_AT_ONCE = 32;

export interface DueEffectsOptions<Item> {
  readonly process: Pick<Process<never, Item>, 'name' | 'effects' | 'judge'>;
  readonly agenda: Agenda<Item>;
  readonly record: LeaseAndCheckpoint;
  readonly timing: ProcessTiming;
  readonly clock: Clock;
  readonly reportFault: ReportFault;
}

/**
 * Does what is due on the agenda, while this node holds the lease: gives the commands that it calls for.
 * What fails or is refused for now stays on the agenda and is tried again later, each item by itself.
 */
export class DueEffects<Item> {
  #newestFault: { readonly key: string; readonly text: string } | undefined;

  constructor(private readonly options: DueEffectsOptions<Item>) {}

  /** Why the item that failed last is not done; null once it is, or is no longer called for. */
  get fault(): string | null {
    const newest = this.#newestFault;
    return newest !== undefined && this.options.agenda.isFailing(newest.key) ? newest.text : null;
  }

  /** @returns whether anything was due. */
  async doDue(): Promise<boolean> {
    const { agenda, clock } = this.options;
    const due = agenda.takeDue(clock(), EFFECTS_AT_ONCE);
    await Promise.all(due.map(async (each) => await this.#do(each)));
    return due.length > 0;
  }

  async #do(due: DueItem<Item>): Promise<void> {
    const { process, agenda, record, timing, clock, reportFault } = this.options;
    try {
      const effects = await process.effects(due.item);
      if ('notBefore' in effects) {
        agenda.postpone(due, effects.notBefore);
        return;
      }
      if (effects.length > 0 && !(await record.ensureLease())) {
        // Another node's to do: whether it fails is to be seen there.
        agenda.putOff(due, clock() + timing.foreignLeasePollMs, 0);
        return;
      }
      for (const effect of effects) await this.#perform(effect);
      agenda.finish(due);
    } catch (error) {
      const { key } = due;
      this.#newestFault = { key, text: reportFault(`${key} could not be done`, error) };
      const attempts = due.attempts + 1;
      agenda.putOff(due, clock() + retryDelay(timing, attempts), attempts);
    }
  }

  async #perform(effect: Effect): Promise<void> {
    const { process } = this.options;
    const { name } = process;
    const result = await effect.perform({
      commandId: deriveUuid(['process', name, ...effect.name]),
      requestDigest: hashJson([name, ...effect.name]),
      actor: { principal: `process:${name}`, agent: null, tenant: null },
      correlationId: effect.cause.correlationId,
      causationId: effect.cause.eventId,
      traceparent: null,
    });
    if (!result.ok && process.judge(result.error) === 'later') {
      throw new Error(`refused for now: ${result.error.code}`);
    }
  }
}
