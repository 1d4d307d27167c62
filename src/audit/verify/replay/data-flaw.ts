import { failure, gap, type Flaw } from '../check-result.js';
import type { PlacedEvent } from './entry.js';
import type { EventShape } from './event-shapes.js';

/** Exactly the members that its type has, in the one version that there is. */
export function dataFlaw(
  shapes: ReadonlyMap<string, EventShape>,
  { envelope }: PlacedEvent,
): Flaw | undefined {
  const { type, schemaVersion, data, sealed } = envelope;
  const shape = shapes.get(type);
  if (shape === undefined) return failure('event-unknown', type);
  if (schemaVersion !== 1) return gap('version-unknown', `${type} v${schemaVersion}`);
  const fault = shape.data(data, '/data');
  if (fault !== undefined) return failure('data-malformed', fault);
  return shape.sealed === (sealed !== null) ? undefined : failure('data-malformed', '/sealed');
}
