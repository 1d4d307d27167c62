import { actingAs, type Acting } from '../../agents/domain/acting.js';
import type { Agent } from '../../agents/domain/agent.js';
import type { AgentId } from '../../kernel/ids.js';
import type { Head, Rejection } from '../../kernel/rejection.js';
import { err, ok, type Result } from '../../kernel/result.js';
import type { InteractionContext } from './context.js';
import { effectiveAt } from './expiry.js';
import { headOf, sameHead } from './head.js';
import type { Interaction } from './interaction.js';
import { isErased, isTerminal } from './revisions.js';

/** A party that may act, and the interaction as it stands now. */
export interface Admission {
  readonly interaction: Interaction;
  readonly agent: Agent;
  readonly acting: Acting;
}

/**
 * The questions that every command on an interaction answers first, in the order in which the
 * answers may be known: whoever cannot act as a party learns nothing, not even that the interaction
 * exists; a party learns that it has ended before it learns that its head is old; and only who wrote
 * against the current head is told more.
 *
 * Refuses with `interaction-not-found`, `interaction-ended`, `head-changed` and, for a command whose
 * texts could no longer be sealed, `interaction-erased`.
 */
export function admit(
  state: Interaction | undefined,
  command: { readonly agentId: AgentId; readonly head: Head },
  context: InteractionContext,
): Result<Admission, Rejection> {
  const { agentId } = command;
  const agent = context.agents.get(agentId);
  if (state === undefined || agent === undefined || !state.parties.includes(agentId)) {
    return err({ code: 'interaction-not-found' });
  }
  const acting = context.caller === undefined ? undefined : actingAs(context.caller, agent);
  if (acting === undefined) return err({ code: 'interaction-not-found' });

  const interaction = effectiveAt(state, context.now);
  const head = headOf(interaction);
  if (isTerminal(interaction.status)) return err({ code: 'interaction-ended', head });
  if (!sameHead(command.head, head)) return err({ code: 'head-changed', head });
  if (isErased(interaction)) return err({ code: 'interaction-erased' });
  return ok({ interaction, agent, acting });
}
