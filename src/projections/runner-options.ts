import type { EventTypes } from '../event-store/codec.js';
import type { KeyStore } from '../event-store/key-store.js';
import type { EventStore } from '../event-store/port.js';
import type { DomainEvent } from '../kernel/event.js';
import type { Reporter } from '../kernel/reporter.js';
import type { Clock } from '../kernel/timestamp.js';
import type { Projection } from './port.js';
import type { ReadDatabase } from './read-database.js';

export interface ProjectionRunnerOptions {
  readonly store: EventStore;
  /** What keeps the store: views of a log that has moved to another engine are made anew. */
  readonly engine?: string;
  readonly keys: Pick<KeyStore, 'findAll'>;
  /** The event types of all contexts whose streams the projections follow. */
  readonly types: EventTypes<DomainEvent>;
  readonly database: ReadDatabase;
  readonly projections: readonly Projection[];
  readonly clock: Clock;
  readonly report: Reporter;
  /**
   * Pauses before the retries of a failed event, in milliseconds; then it stays parked until the
   * next start, which tries again as often.
   */
  readonly retryDelaysMs?: readonly number[];
  /** Events in one transaction while catching up. */
  readonly batchSize?: number;
  /** First and longest pause after the store or the database failed, in milliseconds. */
  readonly backoffMs?: readonly [first: number, longest: number];
}

export function withDefaults(options: ProjectionRunnerOptions): Required<ProjectionRunnerOptions> {
  return {
    engine: '',
    retryDelaysMs: [50, 200, 800],
    batchSize: 500,
    backoffMs: [100, 5000],
    ...options,
  };
}
