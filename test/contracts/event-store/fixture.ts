import type { DeletableEventStore, EventStore } from '../../../src/event-store/port.js';
import type { Elsewhere } from '../support/child.js';

/** One fresh, empty log of the engine that is tested. */
export interface TestLog {
  /** One more instance on the log; the log closes it when it is disposed of. */
  open(): Promise<EventStore>;

  /** How another process opens the log. */
  readonly elsewhere: Elsewhere;

  /**
   * The settings in force under which an acknowledged append might not be on disk. Absent where the
   * server alone decides when it flushes, so that there is nothing to ask.
   */
  unsafeSettings?(): Promise<readonly string[]>;

  /** Makes reads and appends fail, as a lost connection does, until the answer is called. */
  interrupt(): Promise<() => Promise<void>>;

  dispose(): Promise<void>;
}

export type LogFactory = () => Promise<TestLog>;

/** A log of an engine that can forget streams. */
export interface DeletableTestLog extends TestLog {
  open(): Promise<DeletableEventStore>;
}
