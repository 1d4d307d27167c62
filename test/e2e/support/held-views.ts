import Database from 'better-sqlite3';

/**
 * Makes the views of a node stand still: whoever would move a checkpoint in its read database is
 * refused, as by a disk that fails, and what was applied with it is undone. The node tries again and
 * again, and answers meanwhile from the views as they are.
 * @returns lets them go on
 */
export function holdViews(readDatabase: string): () => void {
  const run = (sql: string): void => {
    const database = new Database(readDatabase, { timeout: 5_000 });
    database.exec(sql);
    database.close();
  };
  for (const when of ['INSERT', 'UPDATE']) {
    run(`CREATE TRIGGER held_${when} BEFORE ${when} ON runner_checkpoints
         BEGIN SELECT RAISE(ABORT, 'held back'); END`);
  }
  return () => {
    run('DROP TRIGGER held_INSERT; DROP TRIGGER held_UPDATE');
  };
}
