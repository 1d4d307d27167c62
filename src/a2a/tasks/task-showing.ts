import type { Uuid } from '../../kernel/ids.js';
import { showTask } from './domain/decide.js';
import { mayBeAnswered, type TaskFold } from './domain/task-fold.js';
import type { StoredTask } from './domain/task.js';
import type { TurnsHere } from './port.js';
import type { TaskWriter } from './task-writer.js';

/**
 * What is shown of tasks whose turns may still end in a message: whoever is shown one makes it one. A
 * turn under way here is told so; any other reads it from its task.
 */
export class TaskShowing {
  #turns: TurnsHere = { show: () => undefined };

  constructor(private readonly writer: Pick<TaskWriter, 'change'>) {}

  turnsAre(turns: TurnsHere): void {
    this.#turns = turns;
  }

  /** The task as it may be shown; undefined: it has ended in a message, or will, or is gone. */
  async show<T extends StoredTask>(stored: T): Promise<T | TaskFold | undefined> {
    if (stored.answer !== null) return undefined;
    if (!mayBeAnswered(stored)) return stored;
    const id = stored.task.id as Uuid;
    const isShown = this.#turns.show(id);
    if (isShown !== undefined) return isShown ? stored : undefined;
    const seen = await this.writer.change(id, showTask);
    return seen?.ok === true && seen.value.answer === null ? seen.value : undefined;
  }
}
