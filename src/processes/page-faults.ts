import { millisecondsNotBefore, type Timestamp } from '../kernel/timestamp.js';
import type { CalendarPage } from './calendar-events.js';
import type { ReportFault } from './fault.js';
import { retryDelay, type ProcessTiming } from './process-timing.js';

interface PutOff {
  readonly attempts: number;
  /** Of the monotonic clock, in milliseconds. */
  readonly tryAt: number;
  /** Null where nothing has failed. */
  readonly fault: string | null;
}

/**
 * Pages of a calendar that could not be read or written. Each is tried again by itself, later and later:
 * neither other pages nor anything else that a process has to do waits for it.
 */
export class PageFaults {
  readonly #putOff = new Map<CalendarPage, PutOff>();

  constructor(
    private readonly timing: ProcessTiming,
    private readonly reportFault: ReportFault,
  ) {}

  /** Why a page could not be read or written, of one that still cannot; null when all can. */
  get fault(): string | null {
    for (const { fault } of this.#putOff.values()) if (fault !== null) return fault;
    return null;
  }

  /** Since when the most overdue of them has been due, milliseconds since the epoch; Infinity without any. */
  get oldestDueAt(): number {
    let oldest = Infinity;
    for (const [page, { fault }] of this.#putOff) {
      if (fault !== null) oldest = Math.min(oldest, beginOf(page));
    }
    return oldest;
  }

  mayTry(page: CalendarPage): boolean {
    return performance.now() >= (this.#putOff.get(page)?.tryAt ?? -Infinity);
  }

  /** To be called when it was read or written. */
  settled(page: CalendarPage): void {
    this.#putOff.delete(page);
  }

  failed(page: CalendarPage, error: unknown): void {
    const attempts = (this.#putOff.get(page)?.attempts ?? 0) + 1;
    const fault = this.reportFault(`the calendar's page ${page} cannot be used`, error);
    this.#wait(page, { attempts, fault, delayMs: retryDelay(this.timing, attempts) });
  }

  /** Nothing has failed, and yet there is no sense in trying soon. */
  putOff(page: CalendarPage): void {
    this.#wait(page, { attempts: 0, fault: null, delayMs: this.timing.longestRetryMs });
  }

  #wait(page: CalendarPage, { delayMs, ...rest }: Omit<PutOff, 'tryAt'> & { delayMs: number }) {
    this.#putOff.set(page, { ...rest, tryAt: performance.now() + delayMs });
  }
}

function beginOf(page: CalendarPage): number {
  return millisecondsNotBefore(`${page}:00:00Z` as Timestamp);
}
