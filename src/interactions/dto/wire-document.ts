import { RejectionException } from '../../http/rejection-exception.js';
import { ERASED } from '../../kernel/event.js';
import type { ContractRevision, FederatedInteraction } from '../../kernel/federated-interaction.js';
import { parseInteractionId, type InteractionId } from '../../kernel/ids.js';
import { interactionDocument, revisionDocument } from '../domain/document.js';
import type { Interaction, Revision } from '../domain/interaction.js';
import { remainsOf } from '../remains.js';

/**
 * The id of an address. One that cannot be an id names no interaction.
 * @throws {RejectionException} `interaction-not-found`
 */
export function interactionIdOf(text: string): InteractionId {
  const interactionId = parseInteractionId(text);
  if (interactionId === undefined) throw new RejectionException({ code: 'interaction-not-found' });
  return interactionId;
}

/** @throws {RejectionException} `interaction-erased`, with what remains */
export function wireDocumentOf(interaction: Interaction): FederatedInteraction {
  const document = interactionDocument(interaction);
  if (document === ERASED) throw erased(interaction);
  return document;
}

/** @throws {RejectionException} `interaction-erased`, with what remains */
export function wireRevisionOf(interaction: Interaction, revision: Revision): ContractRevision {
  const document = revisionDocument(interaction, revision);
  if (document === ERASED) throw erased(interaction);
  return document;
}

/**
 * The terms of one revision, for whatever is said of them.
 * @throws {RejectionException} `interaction-erased`, with what remains
 */
export function legibleRevision(interaction: Interaction, revision: Revision): Revision {
  if (revision.contract === ERASED) throw erased(interaction);
  return revision;
}

function erased(interaction: Interaction): RejectionException {
  return new RejectionException({ code: 'interaction-erased', remains: remainsOf(interaction) });
}
