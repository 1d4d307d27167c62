import { signsItsActs } from '../../../agents/domain/keys.js';
import { err, ok } from '../../../kernel/result.js';
import { makeStatement, type ErasureConsentStatement } from '../../../kernel/statements.js';
import { isBefore, millisecondsOf, type Timestamp } from '../../../kernel/timestamp.js';
import { admitEnded } from '../admission.js';
import type { CommandOf } from '../commands.js';
import type { InteractionContext } from '../context.js';
import { erasureGround, retentionDays, retentionOf } from '../erasure.js';
import type { InteractionEvent } from '../events.js';
import { interactionExpired, isExpiryDue } from '../expiry.js';
import type { Interaction } from '../interaction.js';
import { isTerminal } from '../revisions.js';
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
 * Days that were noted before the key was destroyed are why it was, whatever consents came since. If it
 * was destroyed before they had run out, by a node whose clock was wrong, that is recorded as it is: the
 * moment of the record precedes the end of the retention, and whoever audits the log finds it.
 *
 * Refuses with `interaction-not-found` and `erasure-not-due`.
 */
export function erase(
  state: Interaction | undefined,
  command: CommandOf<'erase'>,
  { now, leewayMs }: InteractionContext,
): Decision {
  if (state === undefined) return err({ code: 'interaction-not-found' });
  if (state.erasure !== null) return ok([]);
  if (!isTerminal(state.status)) return err({ code: 'erasure-not-due' });
  const { interactionId } = state;
  const noted = command.retentionDays;
  const ground = noted === null ? erasureGround(state, now) : 'retention';
  if (ground === undefined) return err({ code: 'erasure-not-due' });
  const days = ground === 'consent' ? null : (noted ?? retentionDays(state));
  const retention = days === null ? null : retentionOf(state, days);
  // Two clocks that are right, or one that was set back by as little: it runs out in a moment.
  if (retention !== null && isDueWithin(leewayMs, retention.until, now)) {
    return err({ code: 'erasure-not-due' });
  }
  return ok([{ type: 'texts-erased', data: { interactionId, ground, retention }, texts: null }]);
}

function isDueWithin(leewayMs: number, due: Timestamp, now: Timestamp): boolean {
  return isBefore(now, due) && millisecondsOf(due) - millisecondsOf(now) <= leewayMs;
}
