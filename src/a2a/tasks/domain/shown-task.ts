import type { Task } from '../../wire/types.js';

/**
 * A task as an operation asks for it. `historyLength` (A2A v1.0 section 3.2.4): undefined is all,
 * 0 is no history, n the newest n messages. Absent members are absent.
 */
export function shownTask(
  task: Task,
  {
    historyLength,
    includeArtifacts = true,
  }: {
    readonly historyLength?: number | undefined;
    readonly includeArtifacts?: boolean | undefined;
  },
): Task {
  const { history, artifacts, ...rest } = task;
  const shownHistory =
    historyLength === undefined
      ? history
      : historyLength === 0
        ? []
        : history?.slice(-historyLength);
  return {
    ...rest,
    ...(includeArtifacts && artifacts !== undefined ? { artifacts } : {}),
    ...(shownHistory !== undefined && shownHistory.length > 0 ? { history: shownHistory } : {}),
  };
}
