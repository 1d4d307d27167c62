import { LRUCache } from 'lru-cache';
import type { Position } from '../../event-store/port.js';
import type { Uuid } from '../../kernel/ids.js';
import type { TaskFold } from './domain/task-fold.js';

/** Characters of all that are kept, and of one. */
const KEPT_WEIGHT = 32 * 1024 * 1024;
const KEPT_WEIGHT_OF_ONE = 20 * 1024 * 1024;
const KEPT_MS = 30_000;

/**
 * Tasks as they were a moment ago: all who watch a task are shown it as its newest turn began, one soon
 * after the other, and each would fold it anew from its first event.
 */
export class PastFolds {
  readonly #kept = new LRUCache<string, TaskFold>({
    max: 100,
    maxSize: KEPT_WEIGHT,
    maxEntrySize: KEPT_WEIGHT_OF_ONE,
    ttl: KEPT_MS,
    sizeCalculation: ({ weight }) => weight + 1,
  });
  readonly #underWay = new Map<string, Promise<TaskFold | undefined>>();

  /** @param load called when it is neither kept nor being loaded */
  async at(
    id: Uuid,
    position: Position,
    load: () => Promise<TaskFold | undefined>,
  ): Promise<TaskFold | undefined> {
    const key = `${id} ${position}`;
    const known = this.#kept.get(key) ?? this.#underWay.get(key);
    if (known !== undefined) return await known;
    const loading = load();
    this.#underWay.set(key, loading);
    try {
      const fold = await loading;
      if (fold !== undefined && this.#underWay.get(key) === loading) this.#kept.set(key, fold);
      return fold;
    } finally {
      if (this.#underWay.get(key) === loading) this.#underWay.delete(key);
    }
  }

  /** Its stream was deleted: it may be begun anew. */
  forget(id: Uuid): void {
    for (const kept of [this.#kept, this.#underWay]) {
      for (const key of kept.keys()) if (key.startsWith(id)) kept.delete(key);
    }
  }
}
