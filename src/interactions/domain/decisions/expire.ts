import { err, ok } from '../../../kernel/result.js';
import type { InteractionContext } from '../context.js';
import { interactionExpired, isExpiryDue } from '../expiry.js';
import { headOf } from '../head.js';
import type { Interaction } from '../interaction.js';
import { isTerminal } from '../revisions.js';
import type { Decision } from './decision.js';

/**
 * Records an expiry, dated `expiresAt` however late it is recorded. It reads no texts, so an erased
 * interaction expires like any other.
 *
 * Refuses with `interaction-not-found`, `interaction-ended` and `expiry-not-due`.
 */
export function expire(state: Interaction | undefined, { now }: InteractionContext): Decision {
  if (state === undefined) return err({ code: 'interaction-not-found' });
  if (isTerminal(state.status)) return err({ code: 'interaction-ended', head: headOf(state) });
  if (!isExpiryDue(state, now)) return err({ code: 'expiry-not-due' });
  return ok([interactionExpired(state)]);
}
