import type { DomainEvent, Recorded } from '../../../kernel/event.js';

interface Told {
  readonly configId: string;
  /** Revision of the event that set the webhook: another one of its id begins anew. */
  readonly setAt: number;
  /** Revision of the task's event. */
  readonly revision: number;
}

/** The webhook took the notification of an event. */
export type NotificationDelivered = DomainEvent<'notification-delivered', Told, null>;

/** It was not to be had: the event is not sent any more. */
export type NotificationAbandoned = DomainEvent<
  'notification-abandoned',
  Told & {
    /** For operators; never names what was sent. */
    readonly reason: string;
  },
  null
>;

/** What stands in `webhooks-<uuid>`. */
export type WebhookEvent = NotificationDelivered | NotificationAbandoned;

/** By webhook: the task's last event that is done with. */
export type WebhookProgress = ReadonlyMap<
  string,
  { readonly setAt: number; readonly revision: number }
>;

export const NO_PROGRESS: WebhookProgress = new Map();

export function evolveProgress(
  progress: WebhookProgress,
  { data: { configId, setAt, revision } }: Recorded<WebhookEvent>,
): WebhookProgress {
  return new Map(progress).set(configId, { setAt, revision });
}

/** Events of the task up to here are none of the webhook's business any more. */
export function doneUpTo(progress: WebhookProgress, configId: string, setAt: number): number {
  const known = progress.get(configId);
  return known?.setAt === setAt ? known.revision : setAt;
}
