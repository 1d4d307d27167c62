import { isBefore, type Timestamp } from '../../kernel/timestamp.js';
import type { KnownIdentifiers } from '../domain/known-identifiers.js';

/** Values and since when each is known; never changes. */
export class Words implements KnownIdentifiers {
  private constructor(
    private readonly set: ReadonlySet<string>,
    private readonly since: ReadonlyMap<string, Timestamp>,
  ) {}

  /** What is set is known at every moment. */
  static settled(values: Iterable<string>): Words {
    return new Words(new Set(values), new Map());
  }

  has(value: string, at: Timestamp): boolean {
    if (this.set.has(value)) return true;
    const since = this.since.get(value);
    return since !== undefined && !isBefore(at, since);
  }

  /** These and more; of a value that several had, the earliest moment counts. */
  with(added: Iterable<{ readonly value: string; readonly since: Timestamp }>): Words {
    const all = new Map(this.since);
    for (const { value, since } of added) {
      const known = all.get(value);
      if (known === undefined || isBefore(since, known)) all.set(value, since);
    }
    return new Words(this.set, all);
  }
}
