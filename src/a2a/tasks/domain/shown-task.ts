import { withHistoryLength } from '../../wire/history.js';
import type { Task } from '../../wire/types.js';

/** A task as ListTasks asks for it; absent members are absent. */
export function shownTask(
  task: Task,
  {
    historyLength,
    includeArtifacts,
  }: { readonly historyLength: number | undefined; readonly includeArtifacts: boolean },
): Task {
  const shown = withHistoryLength(task, historyLength);
  if (includeArtifacts) return shown;
  const { artifacts: _, ...rest } = shown;
  return rest;
}
