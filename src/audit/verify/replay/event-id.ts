import type { EventEnvelope } from '../../../kernel/envelope.js';
import { deriveUuid } from '../../../kernel/ids.js';
import { failure, type Flaw } from '../check-result.js';

/** A command makes one event of an agent or an interaction, or two. */
const INDICES = [0, 1];

/**
 * The id of an agent's or an interaction's event is derived from its stream, its command and its index
 * in that; the first logs left the stream out.
 */
export function eventIdFlaw({ id, stream, metadata }: EventEnvelope): Flaw | undefined {
  const { commandId } = metadata;
  const names = [
    ['event', stream, commandId],
    ['event', commandId],
  ];
  const isDerived = names.some((name) =>
    INDICES.some((index) => deriveUuid([...name, index]) === id),
  );
  return isDerived ? undefined : failure('event-id-wrong', id);
}
