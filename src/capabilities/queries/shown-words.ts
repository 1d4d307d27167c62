import type { Capability } from '../domain/capability.js';
import { entitlement } from '../domain/entitlement.js';
import type { Caller } from '../../kernel/caller.js';
import { oncePerObject } from '../../kernel/once-per-object.js';
import type { AgentCapabilities } from './capability-registry.js';

/**
 * Whether a value is `action` or `data` of a capability that exists for the caller, by its manifest of
 * now. Of one that does not, nothing is told, not even that somebody guessed what it is about: an answer
 * takes no other way for it.
 *
 * @param agents whose capabilities are looked at
 */
export function shownWords(
  agents: readonly AgentCapabilities[],
  caller: Caller | null,
): (value: string) => boolean {
  return (value) =>
    agents.some((agent) =>
      byWord(agent)
        .get(value)
        ?.some((capability) => isShown(capability, caller)),
    );
}

function isShown(capability: Capability, caller: Caller | null): boolean {
  return entitlement(capability, caller) !== 'none';
}

const byWord = oncePerObject(({ all }: AgentCapabilities) => {
  const words = new Map<string, Capability[]>();
  for (const capability of all.values()) {
    const { action, data } = capability.manifest;
    for (const word of action === null ? data : [action, ...data]) {
      const others = words.get(word);
      if (others === undefined) words.set(word, [capability]);
      else others.push(capability);
    }
  }
  return words;
});
