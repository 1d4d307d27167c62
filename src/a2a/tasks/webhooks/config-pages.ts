import { decodeCursor, encodeCursor, type CursorScope } from '../../../http/cursor.js';
import { err, ok, type Result } from '../../../kernel/result.js';
import type { A2aRefusal } from '../../wire/refusal.js';
import type { TaskPushNotificationConfig } from '../../wire/types.js';
import { shownPushConfig, type PushConfig } from '../domain/push-config.js';
import { invalidParams } from '../domain/refusals.js';

export interface ConfigPage {
  readonly configs: readonly TaskPushNotificationConfig[];
  readonly nextPageToken: string;
}

const MAX_PAGE = 100;

/** Webhooks in the order of their ids, after the one that a page token names. */
export function pageOfConfigs(
  taskId: string,
  configs: readonly PushConfig[],
  {
    pageSize = MAX_PAGE,
    pageToken = '',
  }: { readonly pageSize?: number; readonly pageToken?: string },
): Result<ConfigPage, A2aRefusal> {
  const scope: CursorScope = { list: 'push-configs', filters: { taskId }, key: ['string'] };
  const cursor = pageToken === '' ? ok(['']) : decodeCursor(scope, pageToken);
  if (!cursor.ok) {
    const detail = 'is no token of this list';
    return err(invalidParams('page-token-invalid', [{ pointer: '/pageToken', detail }]));
  }
  const [after = ''] = cursor.value as readonly string[];
  const following = configs.filter(({ id }) => id > after).sort((a, b) => (a.id < b.id ? -1 : 1));
  const page = following.slice(0, pageSize);
  const last = page.at(-1);
  const isEnd = last === undefined || page.length === following.length;
  return ok({
    configs: page.map((config) => shownPushConfig(taskId, config)),
    nextPageToken: isEnd ? '' : encodeCursor(scope, [last.id]),
  });
}
