import { decodeEvent } from '../../../event-store/codec.js';
import type { EventStore, Position } from '../../../event-store/port.js';
import { hashJson } from '../../../kernel/digest.js';
import { fold } from '../../../kernel/event.js';
import type { Uuid } from '../../../kernel/ids.js';
import type { JsonObject } from '../../../kernel/json.js';
import { notBefore, timestampOf, type Clock, type Timestamp } from '../../../kernel/timestamp.js';
import type { NewId } from '../domain/decide.js';
import { webhookStream } from '../domain/streams.js';
import {
  evolveProgress,
  NO_PROGRESS,
  type WebhookEvent,
  type WebhookProgress,
} from '../domain/webhook-progress.js';
import { taskEnvelope } from '../envelopes.js';
import { WEBHOOK_EVENT_TYPES } from '../event-types.js';

interface LoadedProgress {
  readonly progress: WebhookProgress;
  readonly revision: number;
  readonly recordedAt: Timestamp | undefined;
}

/** How far the webhooks of each task were told: durable, so that a restart repeats nothing much. */
export class WebhookProgressStreams {
  constructor(
    private readonly store: EventStore,
    private readonly clock: Clock,
    private readonly newId: NewId,
  ) {}

  async load(id: Uuid): Promise<LoadedProgress> {
    const envelopes = await this.store.readStream(webhookStream(id));
    const events = envelopes.map((envelope) =>
      decodeEvent<WebhookEvent>(envelope, WEBHOOK_EVENT_TYPES, undefined),
    );
    const last = envelopes.at(-1);
    return {
      progress: fold<WebhookProgress, WebhookEvent>(evolveProgress, NO_PROGRESS, events),
      revision: last?.revision ?? -1,
      recordedAt: last?.recordedAt,
    };
  }

  /** Position of the stream's last event, undefined when there is none. */
  async head(id: Uuid): Promise<Position | undefined> {
    return (await this.store.readLast(webhookStream(id)))?.position;
  }

  /** Two webhooks of one task may be told at once: a lost race is tried again. */
  async append(id: Uuid, event: WebhookEvent): Promise<void> {
    for (;;) {
      const { revision, recordedAt } = await this.load(id);
      const expected = revision === -1 ? 'no-stream' : revision;
      const envelope = this.#envelope(id, event, recordedAt);
      const appended = await this.store.append(webhookStream(id), expected, [envelope]);
      if (appended.ok) return;
    }
  }

  #envelope(id: Uuid, event: WebhookEvent, previous: Timestamp | undefined) {
    const { type } = event;
    const { schemaVersion } = WEBHOOK_EVENT_TYPES[type];
    const data: JsonObject = { ...event.data };
    return taskEnvelope(
      this.newId(),
      { type, schemaVersion, data },
      {
        commandId: this.newId(),
        requestDigest: hashJson(data),
        actor: { principal: 'process:task-webhooks', agent: null, tenant: null },
        correlationId: id,
        recordedAt: notBefore(timestampOf(this.clock()), previous),
      },
    );
  }
}
