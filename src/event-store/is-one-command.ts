import type { RecordedEnvelope } from './port.js';

/**
 * Were two events, one right after the other in their stream, recorded by one command? They came together, and
 * nobody is to see the state in between, which never stood for itself.
 */
export function isOneCommand(
  before: RecordedEnvelope | undefined,
  event: RecordedEnvelope,
): boolean {
  return before?.stream === event.stream && before.metadata.commandId === event.metadata.commandId;
}
