import { ERASED } from '../../kernel/event.js';
import type { InteractionStatus } from '../../kernel/federated-interaction.js';
import type { AgentId } from '../../kernel/ids.js';
import type { Head } from '../../kernel/rejection.js';
import { isBefore, type Timestamp } from '../../kernel/timestamp.js';
import { headOf } from './head.js';
import type { Interaction, LastRejection } from './interaction.js';
import { isTerminal, openProposal, revisionInForce } from './revisions.js';

/** What an operator asks of one interaction. */
export interface InteractionStatusView {
  readonly status: InteractionStatus;
  readonly since: Timestamp;
  /**
   * Whose move it is, in the order of the parties: with an open proposal those who have not accepted
   * it, otherwise, while active, those who have not reported; nobody at the end.
   */
  readonly waitingOn: readonly AgentId[];
  /**
   * The earliest of `expiresAt` and the deadlines of the open proposal and of the terms in force,
   * verbatim; it stays when it has passed, because then it is why nothing moves. Null at the end.
   */
  readonly nextDeadline: Timestamp | null;
  readonly lastRejection: LastRejection | null;
  readonly head: Head;
}

/** Of an interaction whose expiry is not yet recorded, ask after `effectiveAt`. */
export function interactionStatus(interaction: Interaction): InteractionStatusView {
  return {
    status: interaction.status,
    since: interaction.statusSince,
    waitingOn: waitingOn(interaction),
    nextDeadline: nextDeadline(interaction),
    lastRejection: interaction.lastRejection,
    head: headOf(interaction),
  };
}

function waitingOn(interaction: Interaction): readonly AgentId[] {
  if (isTerminal(interaction.status)) return [];
  const answered = openProposal(interaction)?.acceptances ?? interaction.reports;
  return interaction.parties.filter((party) => !answered.has(party));
}

function nextDeadline(interaction: Interaction): Timestamp | null {
  if (isTerminal(interaction.status)) return null;
  let earliest = interaction.expiresAt;
  for (const revision of [openProposal(interaction), revisionInForce(interaction)]) {
    const contract = revision?.contract;
    if (contract === undefined || contract === ERASED) continue;
    const { deadline } = contract;
    if (deadline !== undefined && isBefore(deadline, earliest)) earliest = deadline;
  }
  return earliest;
}
