import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { TABLES } from '../../../../src/a2a/tasks/directory/tables.js';
import { TaskDirectory } from '../../../../src/a2a/tasks/directory/task-directory.js';
import { fewestFirst } from '../../../../src/a2a/tasks/webhooks/fewest-first.js';
import { UntoldPages } from '../../../../src/a2a/tasks/webhooks/untold-pages.js';
import { SqliteReadDatabase } from '../../../../src/projections/sqlite/sqlite-read-database.js';

let folder: string;
let database: SqliteReadDatabase;
let pages: UntoldPages;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'countersign-untold-'));
  database = new SqliteReadDatabase(join(folder, 'views.db'));
  database.transaction((db) => {
    db.exec(TABLES);
  });
  pages = new UntoldPages(new TaskDirectory(database, database));
});

afterEach(async () => {
  database.close();
  await rm(folder, { recursive: true });
});

/** Webhooks with something untold, and one that was told everything. */
function hooks(tenant: string, count: number): void {
  database.transaction((db) => {
    for (let index = 0; index <= count; index++) {
      db.prepare(
        `INSERT INTO task_directory_webhooks
           (task_id, config_id, tenant, origin, set_at, newest, done)
         VALUES (?, 'hook', ?, 'https://a.example', 1, 2, ?)`,
      ).run(`${tenant}-${String(index).padStart(5, '0')}`, tenant, index === count ? 2 : 1);
    }
  });
}

function round(): { tenant: string | undefined; tasks: string[] }[] {
  return pages.next().map((page) => ({
    tenant: page[0]?.tenant,
    tasks: page.map(({ taskId }) => taskId),
  }));
}

describe('webhooks with something untold', () => {
  it('are looked through tenant by tenant: few do not stand behind many', () => {
    hooks('a', 5000);
    hooks('b', 1);
    const first = round();
    expect(first.map(({ tenant, tasks }) => [tenant, tasks.length])).toEqual([
      ['a', 250],
      ['b', 1],
    ]);
    const [a, b] = round();
    expect(a?.tasks[0]).toBe('a-00250');
    expect(b?.tasks).toEqual(['b-00000']);
  });

  it('of a tenant are all seen, then from the first again', () => {
    hooks('a', 1200);
    const seen = [round(), round(), round()].flatMap(([page]) => page?.tasks ?? []);
    expect(new Set(seen).size).toBe(1200);
    expect(round()[0]?.tasks[0]).toBe('a-00000');
  });

  it('of many tenants are seen some tenants after the other', () => {
    for (let index = 0; index < 120; index++) hooks(`t${String(index).padStart(3, '0')}`, 1);
    const seen = [round(), round(), round()].map((found) => found.length);
    expect(seen).toEqual([50, 50, 20]);
    expect(round()[0]?.tenant).toBe('t000');
  });

  it('are nobody’s once everything is told', () => {
    hooks('a', 0);
    expect(round()).toEqual([]);
  });
});

it('the tenant of which the fewest are being told comes next', () => {
  hooks('a', 3);
  hooks('b', 3);
  const counts = new Map([['a', 2]]);
  const countOf = (tenant: string) => counts.get(tenant) ?? 0;
  const order: string[] = [];
  for (const { tenant } of fewestFirst(pages.next(), countOf)) {
    order.push(tenant);
    counts.set(tenant, countOf(tenant) + 1);
  }
  expect(order.join('')).toBe('bbabaa');
});
