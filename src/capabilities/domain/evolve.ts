import type { Recorded } from '../../kernel/event.js';
import type { Capability } from './capability.js';
import type { CapabilityEvent } from './events.js';

/** Null: nothing is registered under this id. */
export type CapabilityState = Capability | null;

/** Records an event; never judges. */
export function evolveCapability(
  state: CapabilityState,
  event: Recorded<CapabilityEvent>,
): CapabilityState {
  const { recordedAt, revision } = event;
  if (event.type === 'capability-registered') {
    const { manifest } = event.data;
    return {
      manifest,
      optedIn: new Set(),
      registeredAt: recordedAt,
      updatedAt: recordedAt,
      revision,
    };
  }
  if (state === null) throw new Error(`${event.type} before capability-registered`);
  const capability: Capability = { ...state, updatedAt: recordedAt, revision };
  switch (event.type) {
    case 'capability-revised':
      return { ...capability, manifest: event.data.manifest };
    case 'capability-state-changed': {
      const { state: next, replacement } = event.data;
      return { ...capability, manifest: { ...state.manifest, state: next, replacement } };
    }
    case 'caller-opted-in':
      return { ...capability, optedIn: new Set(state.optedIn).add(event.data.callerAgentId) };
    case 'caller-opted-out': {
      const optedIn = new Set(state.optedIn);
      optedIn.delete(event.data.callerAgentId);
      return { ...capability, optedIn };
    }
  }
}
