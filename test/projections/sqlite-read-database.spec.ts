import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import Database from 'better-sqlite3';
import type { ProjectionDatabase } from '../../src/projections/port.js';
import {
  ReadDatabaseDamaged,
  ReadDatabaseUnavailable,
} from '../../src/projections/read-database.js';
import { SqliteReadDatabase } from '../../src/projections/sqlite/sqlite-read-database.js';
import { eventually } from '../support/eventually.js';

let folder: string;
let database: SqliteReadDatabase;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'read-database-'));
  database = open();
  database.transaction((db) => {
    db.exec('CREATE TABLE things (name TEXT)');
  });
});

afterEach(() => {
  database.close();
  rmSync(folder, { recursive: true });
});

function open(): SqliteReadDatabase {
  return new SqliteReadDatabase(join(folder, 'read.db'));
}

function insert(name: string): (db: ProjectionDatabase) => void {
  return (db) => {
    db.prepare('INSERT INTO things VALUES (?)').run(name);
  };
}

function failing(name: string): (db: ProjectionDatabase) => void {
  return (db) => {
    insert(name)(db);
    throw new Error('no');
  };
}

function names(of: SqliteReadDatabase = database): string[] {
  const rows = of.prepare<{ name: string }>('SELECT name FROM things ORDER BY rowid').all();
  return rows.map(({ name }) => name);
}

/** What a second connection finds is what would be found after a crash. */
function stored(): string[] {
  const other = open();
  try {
    return names(other);
  } finally {
    other.close();
  }
}

describe('work whose commit may wait', () => {
  it('is seen by readers at once, and by others once it is flushed', () => {
    database.transaction(insert('a'), 'later');
    database.transaction(insert('b'), 'later');
    expect(names()).toEqual(['a', 'b']);
    expect(stored()).toEqual([]);
    database.flush();
    expect(names()).toEqual(['a', 'b']);
    expect(stored()).toEqual(['a', 'b']);
  });

  it('is committed with the next work that does not wait, and before the database is closed', () => {
    database.transaction(insert('a'), 'later');
    database.transaction(insert('b'));
    expect(names()).toEqual(['a', 'b']);
    database.transaction(insert('c'), 'later');
    database.close();
    database = open();
    expect(names()).toEqual(['a', 'b', 'c']);
  });

  it('does not wait for ever', () => {
    for (let i = 0; i < 1200; i++) database.transaction(insert(String(i)), 'later');
    expect(stored().length).toBeGreaterThan(600);
  });

  it('is undone with what waits beside it when it throws, which nobody misses', () => {
    database.transaction(insert('a'));
    database.transaction(insert('b'), 'later');
    expect(() => database.transaction(failing('c'), 'later')).toThrow('no');
    expect(database.isCutBack).toBe(true);
    expect(() => names()).toThrow(ReadDatabaseUnavailable);
    expect(() => database.transaction(insert('d'))).toThrow(ReadDatabaseUnavailable);
    database.resume();
    expect(database.isCutBack).toBe(false);
    database.transaction(insert('e'), 'later');
    expect(names()).toEqual(['a', 'e']);
  });

  it('is undone alone when it throws and nothing waits, or when its own commit does not wait', () => {
    expect(() => database.transaction(failing('a'), 'later')).toThrow('no');
    expect(database.isCutBack).toBe(false);
    database.transaction(insert('b'), 'later');
    expect(() => database.transaction(failing('c'))).toThrow('no');
    expect(database.isCutBack).toBe(false);
    expect(names()).toEqual(['b']);
    expect(stored()).toEqual(['b']);
  });

  it('is undone by a crash', () => {
    database.transaction(insert('a'));
    database.transaction(insert('b'), 'later');
    expect(stored()).toEqual(['a']);
  });

  it('is missed by nobody when a fault has undone it', () => {
    database.transaction(insert('a'), 'later');
    expect(() =>
      database.transaction((db) => {
        db.exec('PRAGMA max_page_count = 1');
        insert('x'.repeat(100_000))(db);
      }, 'later'),
    ).toThrow(ReadDatabaseUnavailable);
    expect(() => names()).toThrow(ReadDatabaseUnavailable);
    expect(() => database.transaction(insert('b'))).toThrow(ReadDatabaseUnavailable);
    database.resume();
    database.transaction(insert('c'));
    expect(names()).toEqual(['c']);
  });
});

describe('the handle', () => {
  it('is closed outside of transactions', () => {
    let kept: ProjectionDatabase | undefined;
    database.transaction((db) => (kept = db), 'later');
    expect(() => kept?.prepare('SELECT 1')).toThrow('outside of a transaction');
    expect(() => {
      kept?.exec('DROP TABLE things');
    }).toThrow('outside of a transaction');
  });

  it('undoes a part alone', () => {
    database.transaction((db) => {
      insert('a')(db);
      expect(() => {
        database.attempt(() => {
          failing('b')(db);
        });
      }).toThrow('no');
      database.attempt(() => {
        insert('c')(db);
      });
    });
    expect(names()).toEqual(['a', 'c']);
  });
});

describe('a purge', () => {
  const overwrite = (db: ProjectionDatabase): void => {
    db.prepare("UPDATE things SET name = '------'").run();
    db.purge();
  };
  const traces = (): boolean =>
    readdirSync(folder).some((file) => readFileSync(join(folder, file)).includes('secret'));

  /** Leaves what a killed process would. */
  const crash = (): void => {
    expect(traces()).toBe(true);
    const copy = mkdtempSync(join(tmpdir(), 'read-database-'));
    for (const file of ['read.db', 'read.db-wal']) {
      copyFileSync(join(folder, file), join(copy, file));
    }
    database.close();
    rmSync(folder, { recursive: true });
    folder = copy;
  };

  beforeEach(() => {
    database.transaction(insert('secret'));
    expect(traces()).toBe(true);
  });

  it('empties the log soon after what was overwritten is committed', async () => {
    database.transaction(overwrite, 'later');
    database.flush();
    await eventually(() => !traces());
    expect(names()).toEqual(['------']);
  });

  it('waits for whoever reads an old state in another process', async () => {
    const other = new Database(join(folder, 'read.db'), { readonly: true });
    other.exec('BEGIN');
    other.prepare('SELECT * FROM things').all();
    database.transaction(overwrite);
    await new Promise((resolve) => setTimeout(resolve, 600));
    expect(traces()).toBe(true);
    other.exec('COMMIT');
    await eventually(() => !traces());
    other.close();
  });

  it('is made up for by the next start', () => {
    database.transaction(overwrite);
    crash();
    database = open();
    expect(traces()).toBe(false);
    expect(names()).toEqual(['------']);
  });

  it('is made up for by the next start, also when somebody was in the way at its beginning', async () => {
    database.transaction(overwrite);
    crash();
    const other = new Database(join(folder, 'read.db'), { readonly: true });
    other.exec('BEGIN');
    other.prepare('SELECT * FROM things').all();
    database = open();
    expect(traces()).toBe(true);
    other.exec('COMMIT');
    await eventually(() => !traces());
    other.close();
  });

  it('is done before the database is closed', () => {
    const other = new Database(join(folder, 'read.db'), { readonly: true });
    database.transaction(overwrite, 'later');
    // Whoever closes last empties the log in any case.
    other.prepare('SELECT * FROM things').all();
    database.close();
    expect(traces()).toBe(false);
    other.close();
    database = open();
  });

  describe('of a damaged file that was set aside', () => {
    const rebuild = (db: ProjectionDatabase): void => {
      db.exec('CREATE TABLE things (name TEXT)');
      db.purge();
    };

    beforeEach(() => {
      database.replace();
      expect(traces()).toBe(true);
    });

    it('removes it soon', async () => {
      database.transaction(rebuild);
      await eventually(() => !traces());
    });

    it('removes it before the database is closed', () => {
      database.transaction(rebuild, 'later');
      database.close();
      expect(traces()).toBe(false);
      database = open();
    });

    it('is tried again while it cannot be removed', async () => {
      const damaged = join(folder, 'read.db.damaged');
      renameSync(damaged, `${damaged}.kept`);
      mkdirSync(damaged);
      database.transaction(rebuild);
      await new Promise((resolve) => setTimeout(resolve, 600));
      rmdirSync(damaged);
      renameSync(`${damaged}.kept`, damaged);
      await eventually(() => !traces());
    });
  });
});

describe('a replacement that fails', () => {
  const inTheWay = (): string => join(folder, 'read.db.damaged');

  it('is made up for by another, and until then everything is refused as damaged', () => {
    database.transaction(insert('a'));
    mkdirSync(inTheWay());
    for (let tries = 0; tries < 2; tries++) {
      expect(() => {
        database.replace();
      }).toThrow();
      database.resume();
      expect(() => names()).toThrow(ReadDatabaseDamaged);
      expect(() => database.transaction(insert('b'))).toThrow(ReadDatabaseDamaged);
      database.flush();
    }
    rmdirSync(inTheWay());
    database.replace();
    database.transaction((db) => {
      db.exec('CREATE TABLE things (name TEXT)');
      insert('c')(db);
    });
    expect(names()).toEqual(['c']);
  });
});

it('leaves nothing of a deleted row in its file, also without a purge', () => {
  const file = join(folder, 'read.db');
  const isInFile = (): boolean => {
    const other = new Database(file);
    other.pragma('wal_checkpoint(TRUNCATE)');
    other.close();
    return readFileSync(file).includes('secret');
  };
  database.transaction(insert('kept'));
  database.transaction(insert('secret'));
  expect(isInFile()).toBe(true);
  database.transaction((db) => {
    db.prepare("DELETE FROM things WHERE name = 'secret'").run();
  });
  expect(names()).toEqual(['kept']);
  expect(isInFile()).toBe(false);
});

it('leaves one file when it is closed, also by one who only read what another has written', () => {
  // As the service and its thread have the log's tree: both open a new file, and only one of them writes.
  const file = join(folder, 'tree.db');
  const reading = new SqliteReadDatabase(file);
  const writing = new SqliteReadDatabase(file);
  writing.transaction((db) => {
    db.exec("CREATE TABLE things (name TEXT); INSERT INTO things VALUES ('one')");
  });
  expect(names(reading)).toEqual(['one']);
  writing.close();
  reading.close();
  expect(readdirSync(folder).filter((name) => name.startsWith('tree.db'))).toEqual(['tree.db']);
});

describe('a query', () => {
  it('cannot write', () => {
    const query = database.prepare('DELETE FROM things RETURNING name');
    expect(() => query.all()).toThrow();
    database.transaction(insert('a'), 'later');
    expect(() => query.all()).toThrow('not a query');
    expect(names()).toEqual(['a']);
  });
});
