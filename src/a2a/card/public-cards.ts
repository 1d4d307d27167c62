import { Inject, Injectable } from '@nestjs/common';
import { CardPublication } from '../../capabilities/commands/card-publication.js';
import {
  agentCard,
  claimsExtendedCard,
  publicCardVersion,
} from '../../capabilities/domain/card.js';
import {
  CapabilityRegistry,
  type AgentCapabilities,
} from '../../capabilities/queries/capability-registry.js';
import type { Config } from '../../config/config.js';
import type { HostedAgent } from '../../config/hosted-agents.js';
import { CONFIG } from '../../config/tokens.js';
import type { AgentId } from '../../kernel/ids.js';
import type { Rejection } from '../../kernel/rejection.js';
import { ok, type Result } from '../../kernel/result.js';
import { cardSettings } from './card-settings.js';
import { CARD_SIGNING, type CardSigner, type CardSigning } from './card-signing.js';
import { servedCard, type ServedCard } from './served-card.js';

/** An agent's public card, and what it was made of. */
export interface PublicCard extends ServedCard {
  readonly capabilities: AgentCapabilities;
  /** The number of its list of skills. */
  readonly published: number;
  readonly signer: CardSigner;
}

/** A card that is being made, for everybody who asks meanwhile. */
interface Making {
  readonly capabilities: AgentCapabilities;
  readonly card: Promise<Result<PublicCard, Rejection>>;
}

/**
 * The public cards of the hosted agents. A card is made when an agent's capabilities, or the card
 * key, are others than before; otherwise it is one look at the view and one at the keys.
 */
@Injectable()
export class PublicCards {
  readonly #cards = new Map<AgentId, PublicCard>();
  readonly #making = new Map<AgentId, Making>();

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    @Inject(CapabilityRegistry) private readonly registry: CapabilityRegistry,
    @Inject(CardPublication) private readonly publication: CardPublication,
    @Inject(CARD_SIGNING) private readonly signing: CardSigning,
  ) {}

  /** Refuses with `card-key-unavailable`, `projection-behind` and `contention`. */
  async of(agent: HostedAgent): Promise<Result<PublicCard, Rejection>> {
    const signer = await this.signing.cardSigner();
    if (!signer.ok) return signer;
    const capabilities = this.registry.of(agent.agentId);
    const known = this.#cards.get(agent.agentId);
    if (known?.capabilities === capabilities && known.signer.keyId === signer.value.keyId) {
      return ok(known);
    }
    return await this.#make(agent, capabilities, signer.value);
  }

  async #make(
    agent: HostedAgent,
    capabilities: AgentCapabilities,
    signer: CardSigner,
  ): Promise<Result<PublicCard, Rejection>> {
    const { agentId } = agent;
    const underWay = this.#making.get(agentId);
    // One of older capabilities is not for somebody who has seen their change.
    if (underWay?.capabilities === capabilities) return await underWay.card;
    const making = { capabilities, card: this.#publish(agent, signer) };
    this.#making.set(agentId, making);
    try {
      return await making.card;
    } finally {
      if (this.#making.get(agentId) === making) this.#making.delete(agentId);
    }
  }

  async #publish(agent: HostedAgent, signer: CardSigner): Promise<Result<PublicCard, Rejection>> {
    const publication = await this.publication.ensure(agent.agentId);
    if (!publication.ok) return publication;
    const { capabilities, skills, declarations, version } = publication.value;
    const unsigned = agentCard(agent, cardSettings(this.config), {
      version: publicCardVersion(agent, version),
      skills,
      declarations,
      extendedAgentCard: claimsExtendedCard(agent, capabilities.all),
    });
    const served = servedCard(unsigned, signer, this.config.publicBaseUrl);
    const card: PublicCard = { ...served, capabilities, published: version, signer };
    this.#keep(agent.agentId, card);
    return ok(card);
  }

  /** Whoever was slower has an older card. */
  #keep(agentId: AgentId, card: PublicCard): void {
    const known = this.#cards.get(agentId);
    if (known !== undefined && known.capabilities.version > card.capabilities.version) return;
    this.#cards.set(agentId, card);
  }
}
