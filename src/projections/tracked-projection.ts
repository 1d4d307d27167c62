import type { Position } from '../event-store/port.js';
import type { ProjectionCheckpoint } from './bookkeeping.js';
import type { Projection, ProjectionState } from './port.js';

/** Where one projection stands, as this process knows it; its truth is in the read database. */
export class TrackedProjection {
  /** Everything up to here is applied or parked. Runs ahead of the stored checkpoint when idle. */
  position: Position;
  /** As stored. */
  complete: boolean;
  /** Streams with parked events. */
  readonly unreliableStreams: Set<string>;
  /** How many events are parked. */
  parkedEvents: number;
  /** The first failed event that will still be tried again by itself. */
  firstRetrying: Position | undefined;

  constructor(
    readonly projection: Projection,
    stored: ProjectionCheckpoint,
    /** The streams of its parked events, one for each event. */
    parked: readonly string[],
    /** Whether the head has been reached once since the process started. */
    public caughtUp: boolean,
    /**
     * Its handler has failed since the process started: it is taken event by event from then on, each
     * of which can be undone alone.
     */
    public isCareful: boolean,
  ) {
    this.position = stored.position;
    this.complete = stored.complete;
    this.unreliableStreams = new Set(parked);
    this.parkedEvents = parked.length;
  }

  get name(): string {
    return this.projection.name;
  }

  get state(): ProjectionState {
    if (this.caughtUp) return 'following';
    return this.complete ? 'catching-up' : 'rebuilding';
  }

  /** Whether a reader who wants everything up to a position may read. */
  hasReached(position: Position): boolean {
    return (
      this.caughtUp &&
      this.position >= position &&
      (this.firstRetrying === undefined || this.firstRetrying > position)
    );
  }

  checkpoint(position: Position): ProjectionCheckpoint {
    return { version: this.projection.version, position, complete: this.complete };
  }
}
