import type { AgentCard } from '../../capabilities/domain/agent-card.js';
import { encodeBase64Url } from '../../kernel/base64url.js';
import { canonicalJson } from '../../kernel/canonical-json.js';
import type { CardSigner } from './card-signing.js';

/** AgentCardSignature of A2A v1.0: a JWS (RFC 7515) whose payload is the card around it. */
interface AgentCardSignature {
  /** b64u of the protected header. */
  readonly protected: string;
  readonly signature: string;
}

export interface SignedAgentCard extends AgentCard {
  readonly signatures: readonly AgentCardSignature[];
}

/** Where the public halves of card keys are. */
const JWKS_PATH = '/.well-known/jwks.json';

/**
 * Signs a card as A2A v1.0 section 8.4 asks: the payload is the RFC 8785 text of the very JSON that
 * is served, without `signatures`.
 */
export function signedCard(
  card: AgentCard,
  signer: CardSigner,
  publicBaseUrl: string,
): SignedAgentCard {
  const jku = `${publicBaseUrl}${JWKS_PATH}`;
  const header = base64Url(canonicalJson({ alg: 'EdDSA', typ: 'JOSE', kid: signer.keyId, jku }));
  const signature = signer.sign(`${header}.${base64Url(canonicalJson(card))}`);
  return { ...card, signatures: [{ protected: header, signature }] };
}

function base64Url(text: string): string {
  return encodeBase64Url(Buffer.from(text));
}
