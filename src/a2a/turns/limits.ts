import type { EnforcedLimit, Manifest } from '../../capabilities/domain/manifest.js';
import type { A2aRefusal } from '../wire/refusal.js';
import type { Message } from '../wire/types.js';
import { messageTooLarge, tooManyParts } from './execution-refusals.js';

/** An enforced limit of a capability; without one there is none. */
export function enforcedLimitOf({ limits }: Manifest, name: EnforcedLimit): number {
  const limit = limits[name];
  return typeof limit === 'number' ? limit : Infinity;
}

/** Why a message is too big for a capability, undefined when it is not. */
export function sizeRefusal(manifest: Manifest, message: Message): A2aRefusal | undefined {
  const maxParts = enforcedLimitOf(manifest, 'max_parts');
  if (message.parts.length > maxParts) return tooManyParts(maxParts);
  const maxBytes = enforcedLimitOf(manifest, 'max_message_bytes');
  if (maxBytes === Infinity) return undefined;
  const size = Buffer.byteLength(JSON.stringify(message));
  return size > maxBytes ? messageTooLarge(maxBytes) : undefined;
}

/** How long a handler may run, in milliseconds. */
export function executionTime(manifest: Manifest, longestMs: number): number {
  return Math.min(longestMs, enforcedLimitOf(manifest, 'max_execution_seconds') * 1000);
}
