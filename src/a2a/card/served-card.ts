import type { AgentCard } from '../../capabilities/domain/agent-card.js';
import { shared, sharedEtag } from '../../http/shared-answers.js';
import type { CardSigner } from './card-signing.js';
import { signedCard, type SignedAgentCard } from './signed-card.js';

/** A card as it goes over the wire, made once and sent to many. */
export interface ServedCard {
  readonly card: SignedAgentCard;
  /** Its JSON as UTF-8. */
  readonly bytes: Buffer;
  /** Strong entity tag (RFC 9110 section 8.8.3) over `bytes`. */
  readonly etag: string;
}

export function servedCard(
  unsigned: AgentCard,
  signer: CardSigner,
  publicBaseUrl: string,
): ServedCard {
  const card = signedCard(unsigned, signer, publicBaseUrl);
  const bytes = shared(Buffer.from(JSON.stringify(card)));
  return { card, bytes, etag: sharedEtag(bytes) };
}
