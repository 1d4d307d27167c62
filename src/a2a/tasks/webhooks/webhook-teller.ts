import type { Recorded } from '../../../kernel/event.js';
import { deriveUuid } from '../../../kernel/ids.js';
import { millisecondsOf, type Clock } from '../../../kernel/timestamp.js';
import type { StreamResponse } from '../../wire/types.js';
import type { UntoldWebhook } from '../directory/task-directory.js';
import type { StoredTaskEvent } from '../domain/events.js';
import type { PushConfig } from '../domain/push-config.js';
import type { TaskFold } from '../domain/task-fold.js';
import { doneUpTo } from '../domain/webhook-progress.js';
import type { TaskStreams } from '../task-streams.js';
import { responseTo } from '../watch-task.js';
import { postNotification, type PostOutcome } from './post-notification.js';
import type { WebhookProgressStreams } from './webhook-progress-streams.js';
import { webhookTarget, type TargetRules } from './webhook-target.js';

export type TellOutcome =
  | { readonly kind: 'told' | 'abandoned' | 'nothing' }
  | { readonly kind: 'later'; readonly retryAfterMs: number | null };

/** A notification is not sent any more when its event is so old, in milliseconds. */
const MAX_AGE_MS = 24 * 60 * 60_000;

interface Notification {
  readonly config: PushConfig;
  readonly event: Recorded<StoredTaskEvent>;
  readonly response: StreamResponse;
}

/** Tells one webhook one thing: finds out what is next, judges the target anew, posts, writes down. */
export class WebhookTeller {
  constructor(
    private readonly streams: TaskStreams,
    private readonly progress: WebhookProgressStreams,
    private readonly rules: TargetRules,
    private readonly clock: Clock,
  ) {}

  /** @param isLast it is abandoned when it fails once more. */
  async tellNext(
    webhook: UntoldWebhook,
    isLast: boolean,
    signal: AbortSignal,
  ): Promise<TellOutcome> {
    const next = await this.#next(webhook);
    if (next === undefined) return { kind: 'nothing' };
    const outcome = await this.#post(webhook, next, signal);
    const { taskId, configId, setAt } = webhook;
    // Its retention may have ended meanwhile: nothing of it is to be left behind.
    if ((await this.streams.load(taskId)) === undefined) return { kind: 'nothing' };
    const told = { configId, setAt, revision: next.event.revision };
    if (outcome.kind === 'taken') {
      const type = 'notification-delivered';
      await this.progress.append(taskId, { type, data: told, texts: null });
      return { kind: 'told' };
    }
    const isTooOld = this.clock() - millisecondsOf(next.event.recordedAt) > MAX_AGE_MS;
    if (outcome.kind === 'later' && (signal.aborted || !(isLast || isTooOld))) {
      return { kind: 'later', retryAfterMs: outcome.retryAfterMs };
    }
    const data = { ...told, reason: outcome.reason };
    await this.progress.append(taskId, { type: 'notification-abandoned', data, texts: null });
    return { kind: 'abandoned' };
  }

  /** The next event that is for the webhook; undefined also when it was deleted or set anew. */
  async #next({ taskId, configId, setAt }: UntoldWebhook): Promise<Notification | undefined> {
    const fold: TaskFold | undefined = (await this.streams.load(taskId))?.fold;
    const set = fold?.pushConfigs.get(configId);
    if (fold === undefined || set?.setAt !== setAt) return undefined;
    const { progress } = await this.progress.load(taskId);
    const from = doneUpTo(progress, configId, setAt) + 1;
    for await (const events of this.streams.pages(taskId, from)) {
      for (const event of events) {
        const response = await responseTo(event, fold.task, taskId, this.streams);
        if (response !== undefined) return { config: set.config, event, response };
      }
    }
    return undefined;
  }

  async #post(
    { taskId, configId, setAt }: UntoldWebhook,
    { config, event, response }: Notification,
    signal: AbortSignal,
  ): Promise<PostOutcome> {
    const target = await webhookTarget(config.url, this.rules);
    if (!target.ok) return { kind: 'later', reason: target.error.code, retryAfterMs: null };
    const deliveryId = deriveUuid(['notification', taskId, configId, setAt, event.revision]);
    return await postNotification(
      target.value,
      config,
      deliveryId,
      JSON.stringify(response),
      signal,
    );
  }
}
