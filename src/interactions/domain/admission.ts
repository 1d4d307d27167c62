import { actingAs, type Acting } from '../../agents/domain/acting.js';
import type { Agent } from '../../agents/domain/agent.js';
import type { AgentId } from '../../kernel/ids.js';
import { sameHead, type Head, type Rejection } from '../../kernel/rejection.js';
import { err, ok, type Result } from '../../kernel/result.js';
import type { InteractionContext } from './context.js';
import { effectiveAt } from './expiry.js';
import { headOf } from './head.js';
import type { Interaction } from './interaction.js';
import { isErased, isTerminal } from './revisions.js';

/** A party that may act, and the interaction as it stands now. */
export interface AdmittedParty {
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
 * Refuses with `interaction-not-found` and the codes of {@link standing}.
 */
export function admit(
  state: Interaction | undefined,
  command: { readonly agentId: AgentId; readonly head: Head },
  context: InteractionContext,
): Result<AdmittedParty, Rejection> {
  const party = actingParty(state, command.agentId, context);
  if (!party.ok) return party;
  const interaction = standing(
    party.value.interaction,
    (head) => sameHead(command.head, head),
    context,
  );
  return interaction.ok ? ok({ ...party.value, interaction: interaction.value }) : interaction;
}

/**
 * The same questions for what is left to do after the end.
 *
 * Refuses with `interaction-not-found`, `interaction-not-ended`, `head-changed` (where a head is
 * named) and `interaction-erased`.
 */
export function admitEnded(
  state: Interaction | undefined,
  command: { readonly agentId: AgentId; readonly head: Head | undefined },
  context: InteractionContext,
): Result<AdmittedParty, Rejection> {
  const party = actingParty(state, command.agentId, context);
  if (!party.ok) return party;
  const interaction = effectiveAt(party.value.interaction, context.now);
  if (!isTerminal(interaction.status)) return err({ code: 'interaction-not-ended' });
  const head = headOf(interaction);
  if (command.head !== undefined && !sameHead(command.head, head)) {
    return err({ code: 'head-changed', head });
  }
  if (isErased(interaction)) return err({ code: 'interaction-erased' });
  return ok({ ...party.value, interaction });
}

/** The interaction is as recorded. Refuses with `interaction-not-found`. */
function actingParty(
  state: Interaction | undefined,
  agentId: AgentId,
  context: InteractionContext,
): Result<AdmittedParty, Rejection> {
  const agent = partyNamed(state, agentId, context);
  const { caller } = context;
  const acting = agent && caller && actingAs(caller, agent);
  if (state === undefined || agent === undefined || acting === undefined) {
    return err({ code: 'interaction-not-found' });
  }
  return ok({ interaction: state, agent, acting });
}

/** The agent, when it is a party of the interaction. */
export function partyNamed(
  state: Interaction | undefined,
  agentId: AgentId,
  { agents }: InteractionContext,
): Agent | undefined {
  return state?.parties.includes(agentId) === true ? agents.get(agentId) : undefined;
}

/**
 * The interaction as it stands now, if a command may still change it.
 *
 * Refuses with `interaction-ended`, `head-changed` and, because texts could no longer be sealed,
 * `interaction-erased`.
 *
 * @param isMeant whether the command was written against this head.
 */
export function standing(
  state: Interaction,
  isMeant: (head: Head) => boolean,
  { now }: InteractionContext,
): Result<Interaction, Rejection> {
  const interaction = effectiveAt(state, now);
  const head = headOf(interaction);
  if (isTerminal(interaction.status)) return err({ code: 'interaction-ended', head });
  if (!isMeant(head)) return err({ code: 'head-changed', head });
  return isErased(interaction) ? err({ code: 'interaction-erased' }) : ok(interaction);
}
