import { signsItsActs } from '../../../agents/domain/keys.js';
import { err, ok } from '../../../kernel/result.js';
import { makeStatement, type ErasureConsentStatement } from '../../../kernel/statements.js';
import { isBefore } from '../../../kernel/timestamp.js';
import { admitEnded } from '../admission.js';
import type { CommandOf } from '../commands.js';
import type { InteractionContext } from '../context.js';
import { erasureGround, retentionDays, retentionOf } from '../erasure.js';
import type { InteractionEvent } from '../events.js';
import { interactionExpired, isExpiryDue } from '../expiry.js';
import type { Interaction } from '../interaction.js';
import { verifyAct } from '../verify-signatures.js';
import type { Decision } from './decision.js';

/**
 * One party lets the texts go before their retention has run out; alone it changes nothing. An expiry
 * that is due and not yet recorded is recorded with it, so that no consent precedes the end.
 *
 * Whoever signs its acts signs this one, retired or not: it winds nothing down, but destroys evidence.
 * Without the key the texts wait for the end of their retention.
 *
 * Refuses with the codes of {@link admitEnded}, `already-consented` and the codes of {@link verifyAct}.
 */
export function consentToErasure(
  state: Interaction | undefined,
  command: CommandOf<'consent-to-erasure'>,
  context: InteractionContext,
): Decision {
  const admission = admitEnded(state, command, context);
  if (!admission.ok) return admission;
  const { interaction, agent } = admission.value;
  const { agentId } = agent;
  if (interaction.erasureConsents.has(agentId)) return err({ code: 'already-consented' });
  if (command.proof === undefined && signsItsActs(agent))
    return err({ code: 'signature-required' });
  const { interactionId, audience } = interaction;
  const signed = verifyAct(
    agent,
    command.proof,
    (signedAt) =>
      makeStatement<ErasureConsentStatement>('federated-interaction/erasure-consent', {
        audience,
        agentId,
        interactionId,
        signedAt,
      }),
    context,
  );
  if (!signed.ok) return signed;
  const consented: InteractionEvent = {
    type: 'erasure-consented',
    data: { interactionId, agentId, ...signed.value },
    texts: null,
  };
  return ok(
    state !== undefined && isExpiryDue(state, context.now)
      ? [interactionExpired(state), consented]
      : [consented],
  );
}

/**
 * Records that the texts are erased, after their key was destroyed. Nothing once it is recorded.
 *
 * Refuses with `interaction-not-found` and `erasure-not-due`.
 */
export function erase(
  state: Interaction | undefined,
  command: CommandOf<'erase'>,
  { now }: InteractionContext,
): Decision {
  if (state === undefined) return err({ code: 'interaction-not-found' });
  if (state.erasure !== null) return ok([]);
  const ground = erasureGround(state, now);
  if (ground === undefined) return err({ code: 'erasure-not-due' });
  const days = ground === 'consent' ? null : (retentionDays(state) ?? command.retentionDays);
  const retention = days === null ? null : retentionOf(state, days);
  // A clock that was set back: what is recorded of an erasure must not contradict itself.
  if (retention !== null && isBefore(now, retention.until)) return err({ code: 'erasure-not-due' });
  const { interactionId } = state;
  return ok([{ type: 'texts-erased', data: { interactionId, ground, retention }, texts: null }]);
}
