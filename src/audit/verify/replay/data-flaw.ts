import { failure, gap, type Flaw } from '../check-result.js';
import type { PlacedEvent } from './entry.js';
import type { EventShape } from './event-shapes.js';

/** Exactly the members that its type has, in its version. */
export function dataFlaw(
  shapes: ReadonlyMap<string, EventShape>,
  { envelope }: PlacedEvent,
): Flaw | undefined {
  const { type, schemaVersion, data, sealed } = envelope;
  const shape = shapes.get(schemaVersion === 1 ? type : `${type}.v${schemaVersion}`);
  if (shape === undefined) {
    return shapes.has(type)
      ? gap('version-unknown', `${type} v${schemaVersion}`)
      : failure('event-unknown', type);
  }
  const fault = shape.data(data, '/data');
  if (fault !== undefined) return failure('data-malformed', fault);
  return shape.sealed === (sealed !== null) ? undefined : failure('data-malformed', '/sealed');
}
