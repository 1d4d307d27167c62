import { Inject, Injectable } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import type { Agent } from '../../agents/domain/agent.js';
import { agentStream } from '../../agents/domain/stream.js';
import { PLATFORM_KEYS_STREAM } from '../../attestation/domain/events.js';
import type { Config } from '../../config/config.js';
import { CONFIG } from '../../config/tokens.js';
import { keyScopeOf } from '../../event-store/codec.js';
import type { KeyStore } from '../../event-store/key-store.js';
import type { EventStore, RecordedEnvelope } from '../../event-store/port.js';
import { EVENT_STORE, KEY_STORE } from '../../event-store/tokens.js';
import { interactionDocument } from '../../interactions/domain/document.js';
import { interactionStream } from '../../interactions/domain/stream.js';
import { ReadInteraction } from '../../interactions/queries/read-interaction.js';
import { encodeBase64Url } from '../../kernel/base64url.js';
import type { Caller } from '../../kernel/caller.js';
import { ERASED } from '../../kernel/event.js';
import type { ConsistencyEvidence } from '../../kernel/evidence-bundle.js';
import type { FederatedInteraction } from '../../kernel/federated-interaction.js';
import type { AgentId, InteractionId } from '../../kernel/ids.js';
import type { Rejection } from '../../kernel/rejection.js';
import { err, ok, type Result } from '../../kernel/result.js';
import {
  TRANSPARENCY_LOG,
  type PublishedCheckpoint,
  type TransparencyLog,
} from '../queries/transparency-log.js';
import { bundleText, type BundleStream } from './bundle-text.js';
import { countWithin, entryTexts, leafOf } from './placed-entries.js';
import { isToldTo } from './told-to.js';

/** What of an interaction's evidence is asked for. */
export interface EvidenceRequest {
  readonly interactionId: InteractionId;
  readonly caller: Caller;
  /** False: neither the document nor the key of the texts. */
  readonly withTexts: boolean;
  /** Size of an earlier tree that the bundle's checkpoint is to be shown consistent with. */
  readonly consistentFrom: number | null;
}

interface Texts {
  readonly document: FederatedInteraction | null;
  readonly dataKey: Uint8Array | null;
}

const NO_TEXTS: Texts = { document: null, dataKey: null };

const everything = (): boolean => true;

/** Makes evidence bundles: from the log alone, never from a view. */
@Injectable()
export class Evidence {
  constructor(
    private readonly queries: QueryBus,
    @Inject(EVENT_STORE) private readonly store: EventStore,
    @Inject(KEY_STORE) private readonly keys: KeyStore,
    @Inject(TRANSPARENCY_LOG) private readonly log: TransparencyLog,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /**
   * The text of the bundle, for whoever may read the interaction: up to the newest checkpoint, which
   * covers at least all that the interaction's stream held when it was asked for. Refuses with
   * `interaction-not-found` and `checkpoint-behind`.
   */
  async bundle(request: EvidenceRequest): Promise<Result<AsyncIterable<string>, Rejection>> {
    const { interactionId, caller, consistentFrom } = request;
    const reading = await this.queries.execute(
      new ReadInteraction(interactionId, caller, { kind: 'now' }),
    );
    if (!reading.ok) return reading;
    const { interaction, parties } = reading.value;
    const checkpoint = await this.checkpointOver(interactionId);
    if (checkpoint === undefined || checkpoint.size < (consistentFrom ?? 0)) {
      return err({ code: 'checkpoint-behind' });
    }
    // Read again: the checkpoint may cover what came after the first look.
    const events = await this.eventsWithin(interactionStream(interactionId), checkpoint.size);
    const texts = request.withTexts ? await this.textsOf(request, events) : ok(NO_TEXTS);
    if (!texts.ok) return texts;
    const frame = {
      interactionId,
      audience: interaction.audience,
      checkpoint: checkpoint.note,
      consistency: this.consistency(consistentFrom, checkpoint.size),
      ...texts.value,
    };
    return ok(bundleText(frame, this.streams(events, parties, caller, checkpoint.size)));
  }

  private async checkpointOver(id: InteractionId): Promise<PublishedCheckpoint | undefined> {
    const newest = (await this.store.readStream(interactionStream(id))).at(-1);
    return newest && this.log.checkpointOver(leafOf(newest), this.config.readWaitMs);
  }

  private async eventsWithin(stream: string, size: number): Promise<readonly RecordedEnvelope[]> {
    const events = await this.store.readStream(stream);
    return events.slice(0, countWithin(events, this.log, size));
  }

  /**
   * The document as the events within the checkpoint make it, and the key that opens their texts.
   * Either both or neither: an erasure may come in between.
   */
  private async textsOf(
    { interactionId, caller }: EvidenceRequest,
    events: readonly RecordedEnvelope[],
  ): Promise<Result<Texts, Rejection>> {
    const last = events.at(-1);
    if (last === undefined) return ok(NO_TEXTS);
    const asOf = { kind: 'position', position: last.position } as const;
    const reading = await this.queries.execute(new ReadInteraction(interactionId, caller, asOf));
    if (!reading.ok) return reading;
    const document = interactionDocument(reading.value.interaction);
    const key = await this.keys.find(keyScopeOf(last.stream));
    const isErased = document === ERASED || key === undefined || key === 'erased';
    return ok(isErased ? NO_TEXTS : { document, dataKey: key });
  }

  private consistency(from: number | null, size: number): ConsistencyEvidence | null {
    if (from === null) return null;
    return { from, proof: this.log.consistencyProof(from, size).map(encodeBase64Url) };
  }

  private async *streams(
    events: readonly RecordedEnvelope[],
    parties: ReadonlyMap<AgentId, Agent>,
    caller: Caller,
    size: number,
  ): AsyncGenerator<BundleStream, void> {
    const stream = (
      name: string,
      within: readonly RecordedEnvelope[],
      isTold: (type: string) => boolean,
    ): BundleStream => ({ name, entries: entryTexts(within, this.log, size, isTold) });
    const [first] = events;
    if (first !== undefined) yield stream(first.stream, events, everything);
    for (const agent of parties.values()) {
      const name = agentStream(agent.agentId);
      yield stream(name, await this.eventsWithin(name, size), isToldTo(caller, agent));
    }
    const ofPlatform = await this.eventsWithin(PLATFORM_KEYS_STREAM, size);
    yield stream(PLATFORM_KEYS_STREAM, ofPlatform, everything);
  }
}
