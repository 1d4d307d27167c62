import type { Agent } from '../../agents/domain/agent.js';
import type { AgentId } from '../../kernel/ids.js';
import { latest, type Timestamp } from '../../kernel/timestamp.js';
import type { InteractionCommand } from '../domain/commands.js';

/**
 * The moment at which a command is judged and its events are recorded: no earlier than the keys that
 * sign in it, since the clock of the node that registered one may be ahead of this one's.
 *
 * @param attestedFrom of the key that may attest
 */
export function decisionMoment(
  clock: Timestamp,
  command: InteractionCommand,
  agents: ReadonlyMap<AgentId, Agent>,
  attestedFrom: Timestamp | null,
): Timestamp {
  const signedFrom = signingKeyOf(command, agents)?.from ?? clock;
  return latest(latest(clock, signedFrom), attestedFrom ?? clock);
}

/** Undefined where no agent signs, or with a key that it never had. */
function signingKeyOf(
  command: InteractionCommand,
  agents: ReadonlyMap<AgentId, Agent>,
): { readonly from: Timestamp } | undefined {
  if (!('proof' in command) || command.proof === undefined) return undefined;
  return agents.get(command.agentId)?.keys.get(command.proof.keyId);
}
