import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import {
  agentCard,
  claimsExtendedCard,
  extendedCardVersion,
} from '../../capabilities/domain/card.js';
import { directInvokeDeclarations } from '../../capabilities/domain/card-direct-invoke.js';
import { extendedSkills, hasExtendedSkills } from '../../capabilities/domain/card-skills.js';
import { entitled } from '../../capabilities/domain/entitlement.js';
import { boundIn, DirectBackends } from '../../capabilities/queries/direct-backends.js';
import type { Config } from '../../config/config.js';
import type { HostedAgent } from '../../config/hosted-agents.js';
import { CONFIG } from '../../config/tokens.js';
import type { Caller } from '../../kernel/caller.js';
import { hashJson } from '../../kernel/digest.js';
import { REJECTIONS, type Rejection } from '../../kernel/rejection.js';
import { err, ok, type Result } from '../../kernel/result.js';
import type { A2aRefusal } from '../wire/refusal.js';
import { cardSettings } from './card-settings.js';
import { PublicCards, type PublicCard } from './public-cards.js';
import { signedCard, type SignedAgentCard } from './signed-card.js';

/** Of all cards together, in characters of JSON. */
const CACHED_CHARACTERS = 16 * 1024 * 1024;

const CACHED_CALLERS = 10_000;

/** A card for one caller, to be kept by no cache that others share. */
export interface ExtendedCard {
  readonly card: SignedAgentCard;
}

/** Extended cards (A2A v1.0 section 3.1.11): what one authenticated caller may use. */
@Injectable()
export class ExtendedCards {
  /** By what a token says: which set of capabilities that entitles to. */
  readonly #sets = new LRUCache<string, string>({ max: CACHED_CALLERS });
  /** By that set: callers that may use the same get the same card, made once. */
  readonly #cards = new LRUCache<string, ExtendedCard>({ maxSize: CACHED_CHARACTERS });

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    @Inject(PublicCards) private readonly publicCards: PublicCards,
    @Inject(DirectBackends) private readonly backends: DirectBackends,
  ) {}

  /**
   * Refuses with `UnsupportedOperation` when the public card claims none, with
   * `ExtendedAgentCardNotConfigured` when it does so without content, and with `Internal` when the
   * card cannot be made just now; then `code` says why.
   */
  async for(agent: HostedAgent, caller: Caller): Promise<Result<ExtendedCard, A2aRefusal>> {
    const publicCard = await this.publicCards.of(agent);
    if (!publicCard.ok) return err(notNow(publicCard.error));
    const { card, capabilities } = publicCard.value;
    if (!card.capabilities.extendedAgentCard) return err(UNSUPPORTED);
    if (agent.extendedCard === 'on' && !hasExtendedSkills(capabilities.all)) {
      return err(NOT_CONFIGURED);
    }
    const key = this.#entitlementSet(publicCard.value, caller);
    const known = this.#cards.get(key);
    if (known !== undefined) return ok(known);
    const made = this.#make(agent, caller, publicCard.value);
    this.#cards.set(key, made, { size: key.length + JSON.stringify(made.card).length });
    return ok(made);
  }

  /** One key for one card: the registry, the public card, and all that the caller may use of them. */
  #entitlementSet({ capabilities, etag }: PublicCard, caller: Caller): string {
    const { agentId, version, all } = capabilities;
    const { tenant, agent, allScopes } = caller;
    const registry = [agentId, version, etag];
    const token = hashJson([...registry, tenant, agent, [...allScopes].sort()]);
    const known = this.#sets.get(token);
    if (known !== undefined) return known;
    const usable = [...all.values()].filter((capability) => entitled(capability, caller));
    const set = hashJson([...registry, usable.map(({ manifest }) => manifest.id)]);
    this.#sets.set(token, set);
    return set;
  }

  #make(agent: HostedAgent, caller: Caller, publicCard: PublicCard): ExtendedCard {
    const { capabilities, published, signer } = publicCard;
    const skills = extendedSkills(capabilities.all, caller);
    const declarations = directInvokeDeclarations(capabilities.all, skills, boundIn(this.backends));
    const unsigned = agentCard(agent, cardSettings(this.config), {
      version: extendedCardVersion(agent, published, skills, declarations),
      skills,
      declarations,
      extendedAgentCard: claimsExtendedCard(agent, capabilities.all),
    });
    return { card: signedCard(unsigned, signer, this.config.publicBaseUrl) };
  }
}

const UNSUPPORTED: A2aRefusal = {
  error: 'UnsupportedOperation',
  detail: 'This agent has no extended card: capabilities.extendedAgentCard of its card is false.',
};

const NOT_CONFIGURED: A2aRefusal = {
  error: 'ExtendedAgentCardNotConfigured',
  detail: 'This agent has nothing to show in an extended card.',
};

function notNow({ code, detail }: Rejection): A2aRefusal {
  return { error: 'Internal', detail: detail ?? REJECTIONS[code], code };
}
