import { accepted } from '../../../src/interactions/domain/decisions/accepting.js';
import type { CommandOf, InteractionCommand } from '../../../src/interactions/domain/commands.js';
import { erasureGround, retentionOf } from '../../../src/interactions/domain/erasure.js';
import type { InteractionEvent } from '../../../src/interactions/domain/events.js';
import { interactionExpired, isExpiryDue } from '../../../src/interactions/domain/expiry.js';
import {
  openProposal,
  revisionInForce,
  shownRevision,
} from '../../../src/interactions/domain/revisions.js';
import { ERASED } from '../../../src/kernel/event.js';
import type {
  Acceptance,
  Signature,
  Transport,
} from '../../../src/kernel/federated-interaction.js';
import type { AgentId, TermsHash } from '../../../src/kernel/ids.js';
import type { Head } from '../../../src/kernel/rejection.js';
import { reasonHash, reportHash } from '../../../src/kernel/statements.js';
import { termsHash } from '../../../src/kernel/terms.js';
import type { Timestamp } from '../../../src/kernel/timestamp.js';
import {
  alpha,
  AUDIENCE,
  contract,
  EXPIRES_AT,
  type Scene,
} from '../../support/interaction-fixtures.js';

/**
 * What a writer records of a command who asks for no right and no rule: the events that the service records
 * of such a command when it is allowed.
 */
export function unjudged(scene: Scene, command: InteractionCommand): readonly InteractionEvent[] {
  switch (command.kind) {
    case 'propose':
      return [proposed(scene, command)];
    case 'revise':
      return [revised(scene, command)];
    case 'accept':
      return acceptedBy(scene, command);
    case 'reject':
    case 'withdraw': {
      const { revision, termsHash } = command.head;
      const hash = reasonHash(command.reason);
      return [
        {
          type: command.kind === 'reject' ? 'revision-rejected' : 'revision-withdrawn',
          data: { ...actOf(scene, command), revision, termsHash, reasonHash: hash },
          texts: { reason: command.reason ?? null },
        },
      ];
    }
    case 'cancel': {
      const termsHash = termsMeant(scene, command.head);
      const hash = reasonHash(command.reason);
      return [
        {
          type: 'interaction-cancelled',
          data: { ...actOf(scene, command), termsHash, reasonHash: hash },
          texts: { reason: command.reason ?? null },
        },
      ];
    }
    case 'complete':
      return reported(scene, command);
    case 'expire':
      return [expired(scene)];
    case 'consent-to-erasure': {
      const consented: InteractionEvent = {
        type: 'erasure-consented',
        data: actOf(scene, command),
        texts: null,
      };
      const isDue = scene.state !== undefined && isExpiryDue(scene.state, scene.now);
      return isDue ? [expired(scene), consented] : [consented];
    }
    case 'erase':
      return [erased(scene, command)];
    case 'auto-accept':
      throw new Error('nobody signs it: policy-rules.spec.ts records it by itself');
  }
}

function interactionIdOf({ state }: Scene): InteractionEvent['data']['interactionId'] {
  return state?.interactionId ?? contract().interactionId;
}

function proposed(scene: Scene, command: CommandOf<'propose'>): InteractionEvent {
  const { interactionId, agentId, responderAgentId, contract, expiresAt } = command;
  const hash = termsHash(contract);
  return {
    type: 'interaction-proposed',
    data: {
      interactionId,
      revisionId: scene.context.newId(),
      revision: 1,
      termsHash: hash,
      proposedByAgentId: agentId,
      acceptance: acceptanceOf(scene, command, hash),
      initiatorAgentId: agentId,
      responderAgentId,
      parties: contract.parties,
      audience: AUDIENCE,
      initiatorTransport: transportOf(scene, agentId),
      responderTransport: transportOf(scene, responderAgentId),
      expiresAt,
    },
    texts: { contract },
  };
}

/** Of whom nobody knows it, some. */
function transportOf({ agents }: Scene, agentId: AgentId): Transport {
  return (agents.get(agentId) ?? alpha.agent).transport;
}

function revised(scene: Scene, command: CommandOf<'revise'>): InteractionEvent {
  const { agentId, contract, head } = command;
  const hash = termsHash(contract);
  return {
    type: 'revision-proposed',
    data: {
      interactionId: interactionIdOf(scene),
      revisionId: scene.context.newId(),
      revision: head.revision + 1,
      previousTermsHash: head.termsHash,
      termsHash: hash,
      proposedByAgentId: agentId,
      acceptance: acceptanceOf(scene, command, hash),
    },
    texts: { contract },
  };
}

function acceptedBy(scene: Scene, command: CommandOf<'accept'>): readonly InteractionEvent[] {
  const { revision, termsHash } = command.head;
  const acceptance = acceptanceOf(scene, command, termsHash);
  const { state } = scene;
  const open = state && openProposal(state);
  if (state !== undefined && open?.revision === revision && open.contract !== ERASED) {
    return accepted(state, { ...open, contract: open.contract }, acceptance, null, scene.context);
  }
  const data = {
    interactionId: interactionIdOf(scene),
    revision,
    acceptance,
    policyRevision: null,
  };
  return [{ type: 'revision-accepted', data, texts: null }];
}

/** Without a signature by what a token of the agent's client stands for. */
function acceptanceOf(
  { now }: Scene,
  { agentId, proof }: CommandOf<'propose' | 'revise' | 'accept'>,
  termsHash: TermsHash,
): Acceptance {
  if (proof === undefined) {
    return { agentId, method: 'oauth_installation', termsHash, acceptedAt: now };
  }
  const { keyId, value, at } = proof;
  const signature = { algorithm: 'Ed25519', keyId, value } as const;
  return { agentId, method: 'ed25519', termsHash, acceptedAt: at, signature };
}

type Act = CommandOf<'reject' | 'withdraw' | 'cancel' | 'complete' | 'consent-to-erasure'>;

function actOf(scene: Scene, { agentId, proof }: Act) {
  const signed: { readonly signedAt: Timestamp | null; readonly signature: Signature | null } =
    proof === undefined
      ? { signedAt: null, signature: null }
      : {
          signedAt: proof.at,
          signature: { algorithm: 'Ed25519', keyId: proof.keyId, value: proof.value },
        };
  return { interactionId: interactionIdOf(scene), agentId, ...signed };
}

/** The terms that stand, to whoever names a head of this interaction. */
function termsMeant({ state }: Scene, head: Head): TermsHash {
  const isKnown = state?.revisions.some(({ termsHash }) => termsHash === head.termsHash) === true;
  return isKnown ? shownRevision(state).termsHash : head.termsHash;
}

function reported(scene: Scene, command: CommandOf<'complete'>): readonly InteractionEvent[] {
  const { agentId, report, head } = command;
  const act = actOf(scene, command);
  const { interactionId } = act;
  const termsHash = termsMeant(scene, head);
  const outcome: InteractionEvent = {
    type: 'outcome-reported',
    data: { ...act, termsHash, reportHash: reportHash(report) },
    texts: { report },
  };
  const { state } = scene;
  const isLast =
    state !== undefined &&
    revisionInForce(state) !== undefined &&
    state.parties.every((party) => party === agentId || state.reports.has(party));
  return isLast
    ? [outcome, { type: 'interaction-completed', data: { interactionId, termsHash }, texts: null }]
    : [outcome];
}

function expired(scene: Scene): InteractionEvent {
  if (scene.state !== undefined) return interactionExpired(scene.state);
  const data = { interactionId: interactionIdOf(scene), effectiveAt: EXPIRES_AT };
  return { type: 'interaction-expired', data, texts: null };
}

/** Where there is no ground for it, because the least retention is said to have run out. */
function erased(scene: Scene, { retentionDays }: CommandOf<'erase'>): InteractionEvent {
  const { state, now } = scene;
  const interactionId = interactionIdOf(scene);
  const ground = (state && erasureGround(state, now)) ?? 'retention';
  const retention =
    state === undefined || ground === 'consent' ? null : retentionOf(state, retentionDays ?? 30);
  return { type: 'texts-erased', data: { interactionId, ground, retention }, texts: null };
}
