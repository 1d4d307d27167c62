import type { AgentId } from '../../kernel/ids.js';

/** Two agents, whichever is named first: agent ids hold no space. */
export function pairOf(one: AgentId, other: AgentId): string {
  return one < other ? `${one} ${other}` : `${other} ${one}`;
}

/** Every two of the parties of one interaction. */
export function pairsAmong(parties: readonly AgentId[]): readonly string[] {
  return parties.flatMap((one, index) =>
    parties.slice(index + 1).map((other) => pairOf(one, other)),
  );
}

/** Both are parties, and they are two. */
export function areParties(parties: readonly AgentId[], one: AgentId, other: AgentId): boolean {
  return one !== other && parties.includes(one) && parties.includes(other);
}
