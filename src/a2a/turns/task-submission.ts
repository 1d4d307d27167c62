import type { Uuid } from '../../kernel/ids.js';
import { err, ok } from '../../kernel/result.js';
import { taskFull, tooManyPushConfigs } from '../tasks/domain/refusals.js';
import type { TaskChangeRefused } from '../tasks/domain/task.js';
import type { Tasks } from '../tasks/port.js';
import type { A2aRefusal } from '../wire/refusal.js';
import type { SendMessageRequest, TaskPushNotificationConfig } from '../wire/types.js';
import { taskEnded, turnUnderWay } from './execution-refusals.js';
import type { ReceivedMessage } from './received-message.js';
import type { Begin } from './turn-beginning.js';

/** How a message begins a task of this id: by the append that is the lock on it. */
export function submission(
  tasks: Pick<Tasks, 'submit'>,
  { request, owner, params, digest }: ReceivedMessage,
  id: Uuid,
): Pick<Begin, 'id' | 'append' | 'overtaken'> {
  const { agentId } = request.agent;
  const { message } = params;
  return {
    id,
    append: async (changes) => {
      const task = { agentId, owner, message, digest, changes, ...pushConfigOf(params) };
      const { known, stored } = await tasks.submit(id, task);
      return known ? err({ kind: 'moved-on', task: stored }) : ok(stored);
    },
    overtaken: overtakenBy,
  };
}

/** The webhook that comes with a message, as the task store takes it. */
export function pushConfigOf({ configuration }: SendMessageRequest): {
  readonly pushConfig?: TaskPushNotificationConfig;
} {
  const webhook = configuration?.taskPushNotificationConfig;
  return webhook === undefined ? {} : { pushConfig: webhook };
}

/** Why a message cannot go to a task to which something else came first. */
export function overtakenBy({ kind, task }: TaskChangeRefused): A2aRefusal {
  const { id } = task.task;
  switch (kind) {
    case 'terminal':
      return taskEnded(id);
    case 'moved-on':
      return turnUnderWay(id);
    case 'full':
      return taskFull(id);
    case 'too-many-push-configs':
      return tooManyPushConfigs();
  }
}
