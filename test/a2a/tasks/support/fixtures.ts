import { randomUUID } from 'node:crypto';
import type {
  NewTask,
  TaskBinding,
  TaskChange,
  TaskOwner,
} from '../../../../src/a2a/tasks/domain/task.js';
import type { RoutingRecord } from '../../../../src/a2a/routing/decision.js';
import type { Message, Part, TaskState } from '../../../../src/a2a/wire/types.js';
import { hashJson } from '../../../../src/kernel/digest.js';
import type { AgentId, SkillId, Uuid } from '../../../../src/kernel/ids.js';

export const HOSTED = 'finance' as AgentId;
export const OTHER_HOSTED = 'travel' as AgentId;

export const ANNA: TaskOwner = {
  kind: 'principal',
  tenant: 'acme',
  principal: 'anna',
  agent: null,
};
export const BERT: TaskOwner = { ...ANNA, principal: 'bert' };
export const SECRET: TaskOwner = { kind: 'anonymous', sharing: 'secret' };
export const SHARED: TaskOwner = { kind: 'anonymous', sharing: 'shared' };

const ROUTING: RoutingRecord = {
  layer: 'only-capability',
  candidates: [{ skillId: 'lookup-invoice' as SkillId, confidence: 1 }],
  confidence: 1,
};

export function text(words: string): Part[] {
  return [{ text: words }];
}

export function message(overrides: Partial<Message> = {}): Message {
  return { messageId: randomUUID(), role: 'ROLE_USER', parts: text('hello'), ...overrides };
}

function bindingTo(invocationId = randomUUID() as Uuid): TaskBinding {
  return { skillId: 'lookup-invoice' as SkillId, handler: 'lookup', invocationId };
}

export function routed(
  invocationId: Uuid,
  deadline: number | null = Date.now() + 60_000,
): TaskChange {
  return { kind: 'routed', binding: bindingTo(invocationId), routing: ROUTING, deadline };
}

export function status(state: TaskState, words?: string): TaskChange {
  return { kind: 'status', state, ...(words === undefined ? {} : { parts: text(words) }) };
}

export const WORKING = status('TASK_STATE_WORKING');
export const COMPLETED = status('TASK_STATE_COMPLETED', 'done');
export const ASKED = status('TASK_STATE_INPUT_REQUIRED', 'which one?');

export function artifact(id: string, words: string, append = false): TaskChange {
  return { kind: 'artifact', artifact: { artifactId: id, parts: text(words) }, append };
}

export function newTask(overrides: Partial<NewTask> = {}): NewTask {
  const sent = overrides.message ?? message();
  return {
    agentId: HOSTED,
    owner: ANNA,
    message: sent,
    digest: hashJson(sent),
    changes: [],
    ...overrides,
  };
}
