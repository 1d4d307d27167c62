import { canonicalJson } from '../../../kernel/canonical-json.js';
import type { EventEnvelope, EventMetadata } from '../../../kernel/envelope.js';

/**
 * Is the second event the next of the command that made the first one? Who writes the log chooses the
 * ids of commands, so an id alone says nothing. But all events of a command are appended at once: they
 * follow each other, were recorded at one moment, and say the same of how they came to be.
 */
export function isSameCommand(first: EventEnvelope, second: EventEnvelope): boolean {
  return (
    second.revision === first.revision + 1 &&
    second.recordedAt === first.recordedAt &&
    isSameOrigin(first.metadata, second.metadata)
  );
}

export function isSameOrigin(first: EventMetadata, second: EventMetadata): boolean {
  return first.commandId === second.commandId && canonicalJson(first) === canonicalJson(second);
}
