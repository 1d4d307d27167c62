import { toRowid } from '../event-row.js';
import type { Position } from '../port.js';
import type { Connections } from './connections.js';
import type { Schema } from './schema.js';

/** Takes whole streams out of the tables. */
export class StreamDeletion {
  /** The tables may hold dead rows: an earlier call could not tidy them up. */
  #isUntidy = false;

  constructor(
    private readonly connections: Connections,
    private readonly schema: Schema,
  ) {}

  /** @throws {EventStoreUnavailable} also when the tables cannot be tidied up yet: call again. */
  async delete(heads: ReadonlyMap<string, Position>): Promise<ReadonlySet<string>> {
    const wanted = [...heads].map(([name, head]) => [name, toRowid(head)] as const);
    const deleted = new Set<string>();
    if (wanted.length > 0) {
      const rows = await this.connections.ask<readonly [name: string]>({
        text: `SELECT * FROM ${this.schema.quoted}.delete_streams($1, $2)`,
        values: [wanted.map(([name]) => name), wanted.map(([, head]) => head)],
      });
      for (const [name] of rows) deleted.add(name);
      if (deleted.size > 0) this.#isUntidy = true;
    }
    if (this.#isUntidy) {
      const tables = `${this.schema.quoted}.events, ${this.schema.quoted}.streams`;
      await this.connections.tidy(`VACUUM (INDEX_CLEANUP ON) ${tables}`);
      this.#isUntidy = false;
    }
    return deleted;
  }
}
