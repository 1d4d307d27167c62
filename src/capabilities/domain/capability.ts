import type { AgentId } from '../../kernel/ids.js';
import type { Timestamp } from '../../kernel/timestamp.js';
import type { Manifest } from './manifest.js';

/** A capability as its stream `capability-<agent>/<skill>` tells it. */
export interface Capability {
  /** As last registered or revised, with the state and the replacement of today. */
  readonly manifest: Manifest;
  /** Agents of callers that an operator let into the preview. */
  readonly optedIn: ReadonlySet<AgentId>;
  readonly registeredAt: Timestamp;
  readonly updatedAt: Timestamp;
  /** Revision of the stream's last event. */
  readonly revision: number;
}
