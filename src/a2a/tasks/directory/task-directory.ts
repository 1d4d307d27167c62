import type { Uuid } from '../../../kernel/ids.js';
import type { ReadModel } from '../../../projections/port.js';
import type { ReadDatabase } from '../../../projections/read-database.js';
import { forgetTask } from './task-rows.js';

/** A webhook that has not been told of everything that is for it. */
export interface UntoldWebhook {
  readonly taskId: Uuid;
  readonly configId: string;
  /** Of its task's owner, as a key ({@link tenantKey}). */
  readonly tenant: string;
  readonly origin: string;
  readonly setAt: number;
}

/**
 * What the keepers of tasks ask: only ever for candidates. What is true is read from the task's
 * stream before anything is done.
 */
export class TaskDirectory {
  constructor(
    private readonly readModel: Pick<ReadModel, 'prepare'>,
    private readonly database: ReadDatabase,
  ) {}

  /** Tasks that ended at or before a moment, the oldest first. */
  endedBy(moment: number, limit: number): readonly Uuid[] {
    return this.#taskIds('ended_at', moment, limit);
  }

  /** Tasks whose turn must have ended at or before a moment. */
  dueBy(moment: number, limit: number): readonly Uuid[] {
    return this.#taskIds('deadline', moment, limit);
  }

  /** Tasks that have waited for their callers since a moment or longer. */
  waitingSince(moment: number, limit: number): readonly Uuid[] {
    return this.#taskIds('waits_since', moment, limit);
  }

  /** Tenants of webhooks with something to be told, in a fixed order, after one of them. */
  untoldTenants(after: string | undefined, limit: number): readonly string[] {
    const next = (than: string) =>
      `(SELECT tenant FROM task_directory_webhooks
        WHERE newest > done AND tenant > ${than} ORDER BY tenant LIMIT 1)`;
    return this.readModel
      .prepare<{ tenant: string }>(
        // One step in the index per tenant, however many webhooks it has.
        `WITH RECURSIVE found (tenant) AS (
           SELECT ${next('?')}
           UNION ALL SELECT ${next('found.tenant')} FROM found WHERE found.tenant IS NOT NULL
         )
         SELECT tenant FROM found WHERE tenant IS NOT NULL LIMIT +?`,
      )
      .all(after ?? '', limit)
      .map(({ tenant }) => tenant);
  }

  /** A tenant's webhooks with something to be told, in a fixed order, after one of them. */
  untoldWebhooks(
    tenant: string,
    after: Pick<UntoldWebhook, 'taskId' | 'configId'> | undefined,
    limit: number,
  ): readonly UntoldWebhook[] {
    return this.readModel
      .prepare<UntoldWebhook>(
        `SELECT task_id AS taskId, config_id AS configId, tenant, origin, set_at AS setAt
         FROM task_directory_webhooks
         WHERE newest > done AND tenant = ? AND (task_id, config_id) > (?, ?)
         ORDER BY task_id, config_id LIMIT +?`,
      )
      .all(tenant, after?.taskId ?? '', after?.configId ?? '', limit);
  }

  /** Their streams are gone: so are their rows. */
  forget(ids: Iterable<Uuid>): void {
    this.database.transaction((db) => {
      for (const id of ids) forgetTask(db, id);
    });
  }

  /** Drops statuses that were superseded at or before a moment. */
  forgetSuperseded(moment: number, limit: number): number {
    return this.database.transaction((db) => {
      const rows = db
        .prepare<{ number: number; gone_at: number }>(
          'SELECT number, gone_at FROM task_directory_superseded ORDER BY number LIMIT +?',
        )
        .all(limit);
      const over = rows.filter(({ gone_at: goneAt }) => goneAt <= moment);
      for (const { number } of over) {
        db.prepare('DELETE FROM task_directory_superseded WHERE number = ?').run(number);
      }
      return over.length;
    });
  }

  #taskIds(
    column: 'ended_at' | 'deadline' | 'waits_since',
    moment: number,
    limit: number,
  ): readonly Uuid[] {
    return this.readModel
      .prepare<{ taskId: Uuid }>(
        `SELECT task_id AS taskId FROM task_directory_tasks
         WHERE ${column} <= ? ORDER BY ${column} LIMIT +?`,
      )
      .all(moment, limit)
      .map(({ taskId }) => taskId);
  }
}
