import type { AgentId, Uuid } from '../../../kernel/ids.js';
import { err, ok, type Result } from '../../../kernel/result.js';
import type { A2aRefusal } from '../../wire/refusal.js';
import type { TaskPushNotificationConfig } from '../../wire/types.js';
import type { NewId } from '../domain/decide.js';
import { deletePushConfig, setPushConfig } from '../domain/decide-push-configs.js';
import { shownPushConfig, toPushConfig } from '../domain/push-config.js';
import { invalidParams, taskFull, taskNotFound, tooManyPushConfigs } from '../domain/refusals.js';
import type { TaskFold } from '../domain/task-fold.js';
import type { TaskOwner } from '../domain/task.js';
import type { PushConfigs, Tasks } from '../port.js';
import type { TaskWriter } from '../task-writer.js';
import { pageOfConfigs, type ConfigPage } from './config-pages.js';
import { webhookTarget, type TargetRules } from './webhook-target.js';

/** The owner gate of every operation here: whose task it is comes before all else. */
interface Gate {
  find(...parameters: Parameters<Tasks['find']>): Promise<Result<TaskFold, A2aRefusal>>;
}

/** Webhooks on the streams of their tasks: see the port. */
export class DurablePushConfigs implements PushConfigs {
  constructor(
    private readonly tasks: Gate,
    private readonly writer: TaskWriter,
    private readonly rules: TargetRules,
    private readonly newId: NewId,
  ) {}

  /** Refuses with the webhook codes, `too-many-push-configs` and `task-full`. */
  async set(
    owner: TaskOwner,
    agentId: AgentId,
    taskId: string,
    config: TaskPushNotificationConfig,
  ): Promise<Result<TaskPushNotificationConfig, A2aRefusal>> {
    const found = await this.tasks.find(owner, agentId, taskId);
    if (!found.ok) return found;
    const refusal = await this.check(config);
    if (refusal !== undefined) return err(refusal);
    const stored = toPushConfig(config, this.newId);
    const changed = await this.writer.change(found.value.task.id as Uuid, (fold) =>
      setPushConfig(fold, stored),
    );
    if (changed === undefined) return err(taskNotFound(taskId));
    if (changed.ok) return ok(shownPushConfig(taskId, stored));
    return err(changed.error.kind === 'full' ? taskFull(taskId) : tooManyPushConfigs());
  }

  async get(
    owner: TaskOwner,
    agentId: AgentId,
    taskId: string,
    configId: string,
  ): Promise<Result<TaskPushNotificationConfig, A2aRefusal>> {
    const found = await this.tasks.find(owner, agentId, taskId);
    if (!found.ok) return found;
    const known = found.value.pushConfigs.get(configId);
    if (known === undefined) return err(noSuchConfig(taskId));
    return ok(shownPushConfig(taskId, known.config));
  }

  /** Refuses with `page-token-invalid`. */
  async list(
    owner: TaskOwner,
    agentId: AgentId,
    taskId: string,
    page: { readonly pageSize?: number; readonly pageToken?: string },
  ): Promise<Result<ConfigPage, A2aRefusal>> {
    const found = await this.tasks.find(owner, agentId, taskId);
    if (!found.ok) return found;
    const configs = [...found.value.pushConfigs.values()].map(({ config }) => config);
    return pageOfConfigs(taskId, configs, page);
  }

  async delete(
    owner: TaskOwner,
    agentId: AgentId,
    taskId: string,
    configId: string,
  ): Promise<Result<undefined, A2aRefusal>> {
    const found = await this.tasks.find(owner, agentId, taskId);
    if (!found.ok) return found;
    await this.writer.change(found.value.task.id as Uuid, (fold) =>
      ok(deletePushConfig(fold, configId)),
    );
    return ok(undefined);
  }

  async check(config: TaskPushNotificationConfig): Promise<A2aRefusal | undefined> {
    const target = await webhookTarget(config.url, this.rules);
    if (target.ok) return undefined;
    const { code, detail } = target.error;
    return invalidParams(code, [{ pointer: '/url', detail }]);
  }
}

function noSuchConfig(taskId: string): A2aRefusal {
  return { ...taskNotFound(taskId), detail: 'The task has no such webhook.' };
}
