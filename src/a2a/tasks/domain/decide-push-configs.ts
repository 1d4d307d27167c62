import { canonicalJson } from '../../../kernel/canonical-json.js';
import { err, ok, type Result } from '../../../kernel/result.js';
import type { TaskPushConfigSet, StoredTaskEvent } from './events.js';
import { MAX_PUSH_CONFIGS, type PushConfig } from './push-config.js';
import type { TaskChangeRefused } from './task.js';
import type { TaskFold } from './task-fold.js';
import { withinWeight } from './weight.js';

type PushConfigRefused = Extract<
  TaskChangeRefused,
  { readonly kind: 'too-many-push-configs' | 'full' }
>;

export function pushConfigSet(config: PushConfig): TaskPushConfigSet {
  return { type: 'task-push-config-set', data: { config }, texts: null };
}

/** Would it be one webhook more than a task may have? One that is set anew under its id is none more. */
export function isOneTooMany({ pushConfigs }: TaskFold, { id }: PushConfig): boolean {
  return !pushConfigs.has(id) && pushConfigs.size >= MAX_PUSH_CONFIGS;
}

/** Sets a webhook, on an ended task too. Nothing is recorded of one that stands there just so. */
export function setPushConfig(
  fold: TaskFold,
  config: PushConfig,
): Result<readonly StoredTaskEvent[], PushConfigRefused> {
  const known = fold.pushConfigs.get(config.id)?.config;
  if (known !== undefined && canonicalJson(known) === canonicalJson(config)) return ok([]);
  if (isOneTooMany(fold, config)) return err({ kind: 'too-many-push-configs', task: fold });
  const events = [pushConfigSet(config)];
  return withinWeight(fold, events) ? ok(events) : err({ kind: 'full', task: fold });
}

/** Nothing is recorded of one that is not there. */
export function deletePushConfig(
  { pushConfigs }: TaskFold,
  configId: string,
): readonly StoredTaskEvent[] {
  if (!pushConfigs.has(configId)) return [];
  return [{ type: 'task-push-config-deleted', data: { configId }, texts: null }];
}
