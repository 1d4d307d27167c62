import type { AgentId } from '../kernel/ids.js';
import type { Capability } from './domain/capability.js';

type Stored = Omit<Capability, 'optedIn'> & { readonly optedIn: readonly AgentId[] };

/** A capability as the text that a directory row holds. */
export function storeCapability(capability: Capability): string {
  const stored: Stored = { ...capability, optedIn: [...capability.optedIn] };
  return JSON.stringify(stored);
}

/** Reads what {@link storeCapability} wrote, in the same version of the projection. */
export function readStoredCapability(text: string): Capability {
  const stored = JSON.parse(text) as Stored;
  return { ...stored, optedIn: new Set(stored.optedIn) };
}
