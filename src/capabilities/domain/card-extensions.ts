import type { AgentExtension } from './agent-card.js';

/**
 * The extensions of A2A that this service honours: what a card declares, a client relies on. None
 * yet: until calls are authorized by contract, the trust extension is neither declared nor
 * activated, and messages that name a contract under it are refused.
 */
export const HONOURED_EXTENSIONS: readonly AgentExtension[] = [];

/**
 * Extensions as cards declare and requests negotiate them.
 * @param required URIs without which no call is served
 */
export function declaredExtensions(
  required: readonly string[],
  honoured: readonly AgentExtension[] = HONOURED_EXTENSIONS,
): readonly AgentExtension[] {
  return honoured.map((extension) =>
    required.includes(extension.uri) ? { ...extension, required: true } : extension,
  );
}
