/**
 * The streams of the audited log, by prefix: tree, replay and export are over these and no others.
 * Not in it are the service's own books (`process-…`), the checkpoints over the tree (`log`) and
 * tasks, whose bodies are deleted.
 */
export const AUDITED_STREAM_PREFIXES: readonly string[] = [
  'agent-',
  'interaction-',
  'capability-',
  'card-',
  'invocation-',
  'platform-keys',
];
