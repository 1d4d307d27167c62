import { hashJson } from '../../../kernel/digest.js';
import type { Recorded } from '../../../kernel/event.js';
import type { Uuid } from '../../../kernel/ids.js';
import type { Artifact } from '../../wire/types.js';
import type { StoredTaskEvent } from './events.js';

/** b64u(SHA-256(JCS(data))) of what a call with arguments gave back; null when the artifact holds no data. */
export function resultDigestOf({ parts }: Artifact): string | null {
  const data = parts[0]?.data;
  return data === undefined ? null : hashJson(data);
}

/** The same, as the events of the task tell it; null for every call that had no arguments. */
export function resultDigestOfTurn(
  events: Iterable<Recorded<StoredTaskEvent>>,
  invocationId: Uuid,
): string | null {
  let isItsTurn = false;
  let digest: string | null = null;
  for (const { type, data } of events) {
    if (type === 'task-routed') {
      const { binding } = data;
      isItsTurn = binding?.invocationId === invocationId && binding.argumentsDigest !== undefined;
    }
    if (isItsTurn && type === 'task-artifact-updated') digest = resultDigestOf(data.artifact);
  }
  return digest;
}
