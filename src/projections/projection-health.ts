import type { EventStore, Position } from '../event-store/port.js';
import type { Clock } from '../kernel/timestamp.js';
import { streamsOf } from './decoding.js';
import { firstOf } from './first-of.js';
import type { ProjectionHealth } from './port.js';
import type { TrackedProjection } from './tracked-projection.js';

interface LogAndClock {
  readonly store: EventStore;
  readonly clock: Clock;
}

/** Figures of one projection, for operators. Fails when the store does. */
export async function projectionHealth(
  tracked: TrackedProjection,
  head: Position,
  log: LogAndClock,
): Promise<ProjectionHealth> {
  return {
    name: tracked.name,
    version: tracked.projection.version,
    state: tracked.state,
    checkpoint: tracked.position,
    lagMs: await lagOf(tracked, head, log),
    parkedEvents: tracked.parkedEvents,
    unreliableStreams: tracked.unreliableStreams.size,
  };
}

async function lagOf(
  { projection, position }: TrackedProjection,
  head: Position,
  { store, clock }: LogAndClock,
): Promise<number> {
  if (position >= head) return 0;
  const waiting = await firstOf(store.readAll(position, streamsOf([projection])));
  if (waiting === undefined) return 0;
  return Math.max(0, clock() - Date.parse(waiting.recordedAt));
}
