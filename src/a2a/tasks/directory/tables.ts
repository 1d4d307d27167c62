/**
 * The tables `task_directory…`:
 *
 * - `_tasks`: one row per task: the newest status that it has, and since which position; when it
 *   ended, until when its turn must have, since when it waits for its caller, or until when for an
 *   approval. Times are milliseconds since the epoch. Without an owner it stands in no list; its tenant it keeps. A task has a short
 *   number here: what is written of it later lies side by side then, where random ids would dirty one page per row.
 * - `_superseded`: the statuses before, valid for positions from `since` to before `until`: a list
 *   of several pages is read as of one position, so that nothing moves under it. `gone_at` is when
 *   the row was superseded. Its rows stand in that order.
 * - `_webhooks`: one row per webhook: its task's tenant, the revisions of the newest event that is
 *   for it, and of the last one that is done with. They are found by tenant, so that no tenant's
 *   stand behind those of another.
 *
 * The index by owner holds all that a list counts by and grows at its end: another one by context
 * would cost every turn more than it saves a reader.
 */
export const TABLES = `
  DROP TABLE IF EXISTS task_directory_tasks;
  CREATE TABLE task_directory_tasks (
    task INTEGER PRIMARY KEY, task_id TEXT NOT NULL UNIQUE,
    owner TEXT, tenant TEXT NOT NULL, context_id TEXT NOT NULL, state TEXT NOT NULL,
    status_at INTEGER NOT NULL, since TEXT NOT NULL,
    ended_at INTEGER, deadline INTEGER, waits_since INTEGER
  );
  CREATE INDEX task_directory_by_owner
    ON task_directory_tasks (owner, status_at, since, state, context_id)
    WHERE owner IS NOT NULL;
  CREATE INDEX task_directory_ended ON task_directory_tasks (ended_at) WHERE ended_at IS NOT NULL;
  CREATE INDEX task_directory_deadlines
    ON task_directory_tasks (deadline) WHERE deadline IS NOT NULL;
  CREATE INDEX task_directory_waiting
    ON task_directory_tasks (waits_since) WHERE waits_since IS NOT NULL;

  DROP TABLE IF EXISTS task_directory_superseded;
  CREATE TABLE task_directory_superseded (
    number INTEGER PRIMARY KEY, task INTEGER NOT NULL,
    owner TEXT NOT NULL, context_id TEXT NOT NULL, state TEXT NOT NULL,
    status_at INTEGER NOT NULL, since TEXT NOT NULL, until TEXT NOT NULL, gone_at INTEGER NOT NULL
  );
  CREATE INDEX task_directory_superseded_by_owner ON task_directory_superseded (owner, until);
  CREATE INDEX task_directory_superseded_of_task ON task_directory_superseded (task);

  DROP TABLE IF EXISTS task_directory_webhooks;
  CREATE TABLE task_directory_webhooks (
    task_id TEXT NOT NULL, config_id TEXT NOT NULL, tenant TEXT NOT NULL, origin TEXT NOT NULL,
    set_at INTEGER NOT NULL, newest INTEGER NOT NULL, done INTEGER NOT NULL,
    PRIMARY KEY (task_id, config_id)
  ) WITHOUT ROWID;
  CREATE INDEX task_directory_untold
    ON task_directory_webhooks (tenant, task_id, config_id) WHERE newest > done;
`;
