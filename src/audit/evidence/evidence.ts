import { Inject, Injectable } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import type { Agent } from '../../agents/domain/agent.js';
import { agentStream } from '../../agents/domain/stream.js';
import { PLATFORM_KEYS_STREAM } from '../../attestation/domain/events.js';
import type { Config } from '../../config/config.js';
import { CONFIG } from '../../config/tokens.js';
import { keyScopeOf } from '../../event-store/codec.js';
import type { KeyStore } from '../../event-store/key-store.js';
import type { EventStore } from '../../event-store/port.js';
import { streamPages } from '../../event-store/stream-pages.js';
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
import { countWithin, entryTexts, exactly, leafOf, type Within } from './placed-entries.js';
import { isToldTo, type IsTold } from './told-to.js';

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

/**
 * Makes evidence bundles: from the log alone, never from a view. A stream is read twice, to count and to
 * send, since it may be longer than memory should hold.
 */
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
   * `interaction-not-found`, `checkpoint-behind`, `checkpoint-key-missing`, `log-inconsistent`, and
   * `beyond-checkpoint` for a `consistentFrom` that no checkpoint reaches.
   *
   * @param signal aborted when nobody waits for it any more: then it is refused with `shutting-down`
   */
  async bundle(
    request: EvidenceRequest,
    signal: AbortSignal,
  ): Promise<Result<AsyncIterable<string>, Rejection>> {
    const { interactionId, caller, consistentFrom } = request;
    const reading = await this.queries.execute(
      new ReadInteraction(interactionId, caller, { kind: 'now' }),
    );
    if (!reading.ok) return reading;
    const { interaction, parties } = reading.value;
    const name = interactionStream(interactionId);
    const checkpoint = await this.#checkpointOver(name, consistentFrom ?? 0);
    const upTo = checkpoint?.size ?? this.log.size();
    // Read again: the checkpoint may cover what came after the first look.
    const own = await this.#within(name, upTo, signal);
    if (!own.ok) return own;
    if (checkpoint === undefined) {
      return err({ code: this.log.maySign() ? 'checkpoint-behind' : 'checkpoint-key-missing' });
    }
    if (checkpoint.size < (consistentFrom ?? 0)) return err(beyond(checkpoint));
    const others = await this.#streamsBefore(own.value, parties, signal);
    if (!others.ok) return others;
    const texts = request.withTexts ? await this.#textsOf(request, own.value) : ok(NO_TEXTS);
    if (!texts.ok) return texts;
    const frame = {
      interactionId,
      audience: interaction.audience,
      checkpoint: checkpoint.note,
      consistency: this.#consistency(consistentFrom, checkpoint.size),
      ...texts.value,
    };
    const told = (name: string): IsTold => {
      const agent = [...parties.values()].find(({ agentId }) => agentStream(agentId) === name);
      return agent === undefined ? everything : isToldTo(caller, agent);
    };
    const streams = new Map([[name, own.value.count], ...others.value]);
    return ok(bundleText(frame, this.#streams(streams, told, checkpoint.size)));
  }

  /** Over all of a stream and, where the log gets so far, of `size` leaves. */
  async #checkpointOver(stream: string, size: number): Promise<PublishedCheckpoint | undefined> {
    const newest = await this.store.readLast(stream);
    const { readWaitMs } = this.config;
    const covering = newest && (await this.log.checkpointOver(leafOf(newest), readWaitMs));
    if (covering === undefined || covering.size >= size) return covering;
    // Another node may have shown it, and this one be a moment behind.
    return await this.log.checkpointOf(size, readWaitMs);
  }

  /** A stream's events among the first `size` leaves: they are read, and counted, not kept. */
  async #within(
    stream: string,
    size: number,
    signal: AbortSignal,
  ): Promise<Result<Within, Rejection>> {
    const pages = untilAborted(streamPages(this.store, stream), signal);
    const within = await countWithin(pages, this.log, size);
    return signal.aborted ? err({ code: 'shutting-down' }) : within;
  }

  /**
   * Of the streams of agents and platform keys what was in the log before the interaction's last
   * event, as numbers of events: what came later changes no verdict, and there may be ever more of it.
   * All are counted before anything is sent, since what is sent cannot be refused any more.
   */
  async #streamsBefore(
    { last }: Within,
    parties: ReadonlyMap<AgentId, Agent>,
    signal: AbortSignal,
  ): Promise<Result<ReadonlyMap<string, number>, Rejection>> {
    const upTo = last === undefined ? 0 : last.index + 1;
    const counts = new Map<string, number>();
    const agents = [...parties.values()].map(({ agentId }) => agentStream(agentId));
    for (const name of [...agents, PLATFORM_KEYS_STREAM]) {
      const within = await this.#within(name, upTo, signal);
      if (!within.ok) return within;
      counts.set(name, within.value.count);
    }
    return ok(counts);
  }

  /**
   * The document as the events within the checkpoint make it, and the key that opens their texts.
   * Either both or neither: an erasure may come in between.
   */
  async #textsOf(
    { interactionId, caller }: EvidenceRequest,
    { last }: Within,
  ): Promise<Result<Texts, Rejection>> {
    if (last === undefined) return ok(NO_TEXTS);
    const asOf = { kind: 'position', position: last.position } as const;
    const reading = await this.queries.execute(new ReadInteraction(interactionId, caller, asOf));
    if (!reading.ok) return reading;
    const document = interactionDocument(reading.value.interaction);
    const key = await this.keys.find(keyScopeOf(interactionStream(interactionId)));
    const isErased = document === ERASED || key === undefined || key === ERASED;
    return ok(isErased ? NO_TEXTS : { document, dataKey: key });
  }

  #consistency(from: number | null, size: number): ConsistencyEvidence | null {
    if (from === null) return null;
    return { from, proof: this.log.consistencyProof(from, size).map(encodeBase64Url) };
  }

  /** Each stream is read when its turn comes. */
  async *#streams(
    counts: ReadonlyMap<string, number>,
    told: (stream: string) => IsTold,
    size: number,
  ): AsyncGenerator<BundleStream, void> {
    for (const [name, count] of counts) {
      const pages = streamPages(this.store, name, 0, { count });
      const entries = entryTexts(pages, this.log, size, told(name));
      yield { name, entries: exactly(count, entries) };
    }
  }
}

function beyond({ size }: PublishedCheckpoint): Rejection {
  const detail = `consistentFrom is beyond the log: its newest checkpoint has ${size} entries.`;
  return { code: 'beyond-checkpoint', detail };
}

async function* untilAborted<T>(
  pages: AsyncIterable<T>,
  signal: AbortSignal,
): AsyncGenerator<T, void> {
  for await (const page of pages) {
    if (signal.aborted) return;
    yield page;
  }
}
