import type { FileKind } from './database.js';

/** Gives `EventRow`s; conditions and the order follow. */
export const SELECT_EVENTS =
  'SELECT position, name, revision, type, id, body FROM events JOIN streams ON number = stream';

/**
 * The event store's tables.
 *
 * Streams have short numbers of their own, given in the order in which they begin: streams that
 * are written at one time then lie side by side in the index, where names that hold random UUIDs
 * would dirty one page per append.
 *
 * AUTOINCREMENT: a position is never given twice, not even after its event was deleted.
 */
export const EVENT_STORE_FILE: FileKind = {
  name: 'event store',
  applicationId: 0x43_53_65_76, // CSev
  schemaVersion: 1,
  schema: `
    CREATE TABLE streams (
      number INTEGER PRIMARY KEY,
      name TEXT NOT NULL UNIQUE
    ) STRICT;
    CREATE TABLE events (
      position INTEGER PRIMARY KEY AUTOINCREMENT,
      stream INTEGER NOT NULL REFERENCES streams (number),
      revision INTEGER NOT NULL,
      type TEXT NOT NULL,
      id TEXT NOT NULL,
      body TEXT NOT NULL,
      UNIQUE (stream, revision)
    ) STRICT;
  `,
};
