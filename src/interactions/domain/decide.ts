import { err } from '../../kernel/result.js';
import type { InteractionCommand } from './commands.js';
import type { InteractionContext } from './context.js';
import { accept } from './decisions/accept.js';
import { autoAccept } from './decisions/auto-accept.js';
import { cancel } from './decisions/cancel.js';
import { reject, withdraw } from './decisions/close-proposal.js';
import { complete } from './decisions/complete.js';
import type { Decision } from './decisions/decision.js';
import { consentToErasure, erase } from './decisions/erase.js';
import { expire } from './decisions/expire.js';
import { propose } from './decisions/propose.js';
import { revise } from './decisions/revise.js';
import type { Interaction } from './interaction.js';
import { refusalOfServed } from './signatures.js';

/**
 * Judges one command on the interaction as it stands at `context.now`; mutates nothing. Whatever it is,
 * no signature serves twice.
 *
 * Refuses with the codes of the decisions and of {@link refusalOfServed}.
 */
export function decide(
  state: Interaction | undefined,
  command: InteractionCommand,
  context: InteractionContext,
): Decision {
  const decision = judge(state, command, context);
  if (!decision.ok) return decision;
  const refusal = refusalOfServed(state, decision.value);
  return refusal === undefined ? decision : err(refusal);
}

function judge(
  state: Interaction | undefined,
  command: InteractionCommand,
  context: InteractionContext,
): Decision {
  switch (command.kind) {
    case 'propose':
      return propose(state, command, context);
    case 'revise':
      return revise(state, command, context);
    case 'accept':
      return accept(state, command, context);
    case 'reject':
      return reject(state, command, context);
    case 'withdraw':
      return withdraw(state, command, context);
    case 'cancel':
      return cancel(state, command, context);
    case 'complete':
      return complete(state, command, context);
    case 'auto-accept':
      return autoAccept(state, command, context);
    case 'expire':
      return expire(state, context);
    case 'consent-to-erasure':
      return consentToErasure(state, command, context);
    case 'erase':
      return erase(state, command, context);
  }
}
