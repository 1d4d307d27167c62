/** Sorts after every position. */
export const NEWEST = '~';

/**
 * The tables `task_directory…`:
 *
 * - `_statuses`: one row per status that a task has had, valid for positions from `since` to before
 *   `until` ('~' for the newest, which sorts after every position). A list of several pages is read
 *   as of one position, so that nothing moves under it. `gone_at` is when the row was superseded.
 *   The index by owner holds all that a list asks for and grows at its end: another one by context would
 *   cost every turn more than it saves a reader.
 * - `_lives`: one row per task: when it ended, until when its turn must have, since when it waits
 *   for its caller, or until when for an approval. Milliseconds since the epoch.
 * - `_webhooks`: one row per webhook: the revisions of the newest event that is for it, and of the
 *   last one that is done with.
 */
export const TABLES = `
  DROP TABLE IF EXISTS task_directory_statuses;
  CREATE TABLE task_directory_statuses (
    task_id TEXT NOT NULL, since TEXT NOT NULL, until TEXT NOT NULL,
    owner TEXT NOT NULL, context_id TEXT NOT NULL, state TEXT NOT NULL,
    status_at INTEGER NOT NULL, gone_at INTEGER,
    PRIMARY KEY (task_id, since)
  ) WITHOUT ROWID;
  CREATE INDEX task_directory_by_owner
    ON task_directory_statuses (owner, status_at, since, until, state, context_id);
  CREATE INDEX task_directory_gone ON task_directory_statuses (gone_at) WHERE gone_at IS NOT NULL;

  DROP TABLE IF EXISTS task_directory_lives;
  CREATE TABLE task_directory_lives (
    task_id TEXT PRIMARY KEY, ended_at INTEGER, deadline INTEGER, waits_since INTEGER
  ) WITHOUT ROWID;
  CREATE INDEX task_directory_ended ON task_directory_lives (ended_at) WHERE ended_at IS NOT NULL;
  CREATE INDEX task_directory_deadlines
    ON task_directory_lives (deadline) WHERE deadline IS NOT NULL;
  CREATE INDEX task_directory_waiting
    ON task_directory_lives (waits_since) WHERE waits_since IS NOT NULL;

  DROP TABLE IF EXISTS task_directory_webhooks;
  CREATE TABLE task_directory_webhooks (
    task_id TEXT NOT NULL, config_id TEXT NOT NULL, origin TEXT NOT NULL,
    set_at INTEGER NOT NULL, newest INTEGER NOT NULL, done INTEGER NOT NULL,
    PRIMARY KEY (task_id, config_id)
  ) WITHOUT ROWID;
  CREATE INDEX task_directory_untold
    ON task_directory_webhooks (task_id, config_id) WHERE newest > done;
`;
