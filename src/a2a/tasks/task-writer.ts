import { EventStoreUnavailable } from '../../event-store/port.js';
import type { Uuid } from '../../kernel/ids.js';
import { ok, type Result } from '../../kernel/result.js';
import type { StoredTaskEvent } from './domain/events.js';
import type { TaskFold } from './domain/task-fold.js';
import type { TaskStreams } from './task-streams.js';

/** Decisions after lost races: each of them means that somebody else has got on. */
const MAX_ATTEMPTS = 64;

/** Changes tasks: decide, append at exactly that revision, and decide again after a lost race. */
export class TaskWriter {
  constructor(private readonly streams: TaskStreams) {}

  /**
   * Decides on what this process knows, which may be old: a refusal is only given at the head.
   * Nothing is appended when nothing was decided. Undefined: there is no such task.
   */
  async change<E>(
    id: Uuid,
    decide: (fold: TaskFold) => Result<readonly StoredTaskEvent[], E>,
  ): Promise<Result<TaskFold, E> | undefined> {
    let fold = this.streams.known(id);
    let isHead = false;
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      if (fold === undefined) {
        fold = (await this.streams.load(id))?.fold;
        isHead = true;
        if (fold === undefined) return undefined;
      }
      const decision = decide(fold);
      if (decision.ok && decision.value.length > 0) {
        const changed = await this.streams.append(id, fold, decision.value);
        if (changed !== undefined) return ok(changed);
      } else if (isHead) {
        return decision.ok ? ok(fold) : decision;
      }
      fold = undefined;
    }
    throw tooManyWriters(id);
  }
}

export function tooManyWriters(id: Uuid): EventStoreUnavailable {
  return new EventStoreUnavailable(`too many writers at once on task ${id}`);
}
