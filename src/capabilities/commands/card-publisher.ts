import { Inject, Injectable } from '@nestjs/common';
import type { Config } from '../../config/config.js';
import { CLOCK, CONFIG, RANDOM_BYTES } from '../../config/tokens.js';
import {
  CommandExecution,
  type CommandEnvelope,
  type RandomBytes,
} from '../../event-store/command-execution.js';
import type { KeyStore } from '../../event-store/key-store.js';
import type { EventStore } from '../../event-store/port.js';
import { EVENT_STORE, KEY_STORE } from '../../event-store/tokens.js';
import { encodeBase64Url } from '../../kernel/base64url.js';
import { hashJson } from '../../kernel/digest.js';
import { deriveUuid, type AgentId } from '../../kernel/ids.js';
import type { Rejection } from '../../kernel/rejection.js';
import { err, ok, type Result } from '../../kernel/result.js';
import type { Clock } from '../../kernel/timestamp.js';
import { CARD_EVENT_TYPES } from '../card-event-types.js';
import { directInvokeDeclarations } from '../domain/card-direct-invoke.js';
import type { CardEvent } from '../domain/card-events.js';
import {
  CARD_GENERATOR,
  cardPublishing,
  publishedVersion,
  type GeneratedSkills,
  type PublishedCards,
  type PublishSkills,
} from '../domain/card-publishing.js';
import { publicSkills, skillsDigest } from '../domain/card-skills.js';
import { cardStream } from '../domain/card-stream.js';
import { CapabilityRegistry } from '../queries/capability-registry.js';
import { boundIn, DirectBackends } from '../queries/direct-backends.js';
import { CardPublication, type PublishedSkills } from './card-publication.js';

/** Who publishes: the service itself. */
const ACTOR = { principal: 'process:card-publication', agent: null, tenant: null };

type Generated = Omit<PublishedSkills, 'version'> & GeneratedSkills;

/**
 * Publishes under the exact revision on which it was found that the skills are others. They are read
 * after that head, from a view that holds all of the log that was there by then: so a node that is
 * behind never publishes the skills of yesterday over those of today.
 */
@Injectable()
export class CardPublisher extends CardPublication {
  readonly #execution: CommandExecution<PublishedCards, PublishSkills, CardEvent, GeneratedSkills>;

  constructor(
    @Inject(EVENT_STORE) store: EventStore,
    @Inject(KEY_STORE) keys: KeyStore,
    @Inject(CLOCK) clock: Clock,
    @Inject(RANDOM_BYTES) private readonly random: RandomBytes,
    @Inject(CONFIG) private readonly config: Pick<Config, 'readWaitMs'>,
    @Inject(CapabilityRegistry) private readonly registry: CapabilityRegistry,
    @Inject(DirectBackends) private readonly backends: DirectBackends,
  ) {
    super();
    this.#execution = new CommandExecution(
      store,
      keys,
      cardPublishing,
      CARD_EVENT_TYPES,
      clock,
      random,
    );
  }

  override async ensure(agentId: AgentId): Promise<Result<PublishedSkills, Rejection>> {
    const command: PublishSkills = { agentId, generator: CARD_GENERATOR };
    let generated: Generated | undefined;
    const executed = await this.#execution.execute(
      cardStream(agentId),
      command,
      envelopeOf(command, this.random),
      async () => {
        const isComplete = await this.registry.isComplete(this.config.readWaitMs);
        if (!isComplete) return err({ code: 'projection-behind' });
        generated = this.#generate(agentId);
        return ok({ context: { digest: generated.digest }, basedOn: {} });
      },
    );
    if (!executed.ok) return executed;
    const { state } = executed.value;
    const version = generated && publishedVersion(state, CARD_GENERATOR, generated.digest);
    if (generated === undefined || version === undefined) {
      throw new Error(`the skills of ${agentId} are not published after they were`);
    }
    const { capabilities, skills, declarations } = generated;
    return ok({ capabilities, skills, declarations, version });
  }

  #generate(agentId: AgentId): Generated {
    const capabilities = this.registry.of(agentId);
    const skills = publicSkills(capabilities.all);
    const declarations = directInvokeDeclarations(capabilities.all, skills, boundIn(this.backends));
    return { capabilities, skills, declarations, digest: skillsDigest(skills, declarations) };
  }
}

/** Each publication is a command of its own: what is asked for twice may be two lists. */
function envelopeOf(command: PublishSkills, random: RandomBytes): CommandEnvelope {
  const commandId = deriveUuid(['card-publisher', encodeBase64Url(random(16))]);
  return {
    commandId,
    requestDigest: hashJson(command),
    actor: ACTOR,
    correlationId: commandId,
    causationId: null,
    traceparent: null,
  };
}
