import { randomUUID } from 'node:crypto';
import type { AgentServices } from '../../../../src/a2a/transports/operations.js';
import type { A2aRefusal } from '../../../../src/a2a/wire/refusal.js';
import type { TaskPushNotificationConfig } from '../../../../src/a2a/wire/types.js';
import { err, ok } from '../../../../src/kernel/result.js';
import type { MemoryTasks } from './memory-tasks.js';

const NOT_FOUND: A2aRefusal = { error: 'TaskNotFound', detail: 'There is no such configuration.' };

export function memoryPushConfigs(tasks: MemoryTasks): AgentServices['pushConfigs'] {
  const configs = new Map<string, TaskPushNotificationConfig>();
  const key = (taskId: string, id: string): string => JSON.stringify([taskId, id]);
  return {
    async set(owner, agentId, taskId, config) {
      const found = await tasks.find(owner, agentId, taskId);
      if (!found.ok) return found;
      const { id = randomUUID() } = config;
      const kept = { ...config, id, taskId };
      configs.set(key(taskId, id), kept);
      return ok(kept);
    },
    async get(owner, agentId, taskId, id) {
      const found = await tasks.find(owner, agentId, taskId);
      if (!found.ok) return found;
      const config = configs.get(key(taskId, id));
      return config === undefined ? err(NOT_FOUND) : ok(config);
    },
    async list(owner, agentId, taskId) {
      const found = await tasks.find(owner, agentId, taskId);
      if (!found.ok) return found;
      const ofTask = [...configs.values()].filter((config) => config.taskId === taskId);
      return ok({ configs: ofTask, nextPageToken: '' });
    },
    async delete(owner, agentId, taskId, id) {
      const found = await tasks.find(owner, agentId, taskId);
      if (!found.ok) return found;
      configs.delete(key(taskId, id));
      return ok(undefined);
    },
  };
}
