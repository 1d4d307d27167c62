import { START, type Position } from '../event-store/port.js';
import type { Recorded } from '../kernel/event.js';
import type { Timestamp } from '../kernel/timestamp.js';
import type { ProcessEvent } from './events.js';

export interface Lease {
  readonly node: string;
  /** Exclusive. */
  readonly until: Timestamp;
}

/** The fold of `process-<name>`. */
export interface ProcessState {
  readonly lease: Lease | null;
  readonly checkpoint: Position;
  /** Revision of the stream, -1 before its first event. */
  readonly revision: number;
}

export const NO_PROCESS_STATE: ProcessState = { lease: null, checkpoint: START, revision: -1 };

export function evolveProcess(state: ProcessState, event: Recorded<ProcessEvent>): ProcessState {
  const { revision } = event;
  switch (event.type) {
    case 'lease-acquired':
      return { ...state, revision, lease: { node: event.data.node, until: event.data.until } };
    case 'lease-released': {
      // Only one's own: a lease that another node took over meanwhile stays.
      const lease = state.lease?.node === event.data.node ? null : state.lease;
      return { ...state, revision, lease };
    }
    case 'checkpoint-moved': {
      // A node that is behind must not take back what another has finished.
      const { position } = event.data;
      const checkpoint = position > state.checkpoint ? position : state.checkpoint;
      return { ...state, revision, checkpoint };
    }
  }
}
