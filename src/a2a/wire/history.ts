import type { Task } from './types.js';

/**
 * A task with at most its newest `historyLength` messages (A2A v1.0 section 3.2.4): undefined asks
 * for all, 0 for none.
 */
export function withHistoryLength(task: Task, historyLength: number | undefined): Task {
  if (historyLength === undefined || task.history === undefined) return task;
  if (historyLength >= task.history.length) return task;
  const { history, ...rest } = task;
  return historyLength === 0 ? rest : { ...rest, history: history.slice(-historyLength) };
}
