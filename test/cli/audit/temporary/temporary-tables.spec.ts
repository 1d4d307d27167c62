import { spawnSync } from 'node:child_process';
import { readdirSync, readlinkSync } from 'node:fs';
import { afterEach, describe, expect, it } from '@jest/globals';
import { pathToFileURL } from 'node:url';
import { TemporaryTables } from '../../../../src/cli/audit/temporary/temporary-tables.js';
import { built } from '../../../support/built.js';

let tables: TemporaryTables | undefined;

afterEach(() => {
  tables?.close();
  tables = undefined;
});

function opened(): TemporaryTables {
  tables = new TemporaryTables();
  return tables;
}

/** Files that this process has open, and that no folder names any more. */
function namelessFiles(): readonly string[] {
  return readdirSync('/proc/self/fd').flatMap((descriptor) => {
    try {
      const path = readlinkSync(`/proc/self/fd/${descriptor}`);
      return path.endsWith('(deleted)') ? [path] : [];
    } catch {
      return [];
    }
  });
}

describe('a temporary table', () => {
  it('holds one text by each name: the last', () => {
    const table = opened().table('texts');
    table.set('a', 'first');
    table.set('a', 'naïve “last”');
    expect([table.get('a'), table.get('b')]).toEqual(['naïve “last”', undefined]);
    table.delete('a');
    expect(table.get('a')).toBeUndefined();
  });

  it('is paged in the order of the names', () => {
    const table = opened().table('texts');
    for (const name of ['c', 'a', 'd', 'b']) table.set(name, name.toUpperCase());
    const first = table.page('', 3);
    expect(first).toEqual([
      ['a', 'A'],
      ['b', 'B'],
      ['c', 'C'],
    ]);
    expect(table.page('c', 3)).toEqual([['d', 'D']]);
    expect(table.page('d', 3)).toEqual([]);
  });

  it('is none of the others', () => {
    const one = opened();
    const [left, right] = [one.table('left'), one.table('right')];
    left.set('a', 'left');
    expect(right.get('a')).toBeUndefined();
  });

  it('lies in a file without a name once it is large, and is gone when it is closed', () => {
    const before = namelessFiles().length;
    const table = opened().table('texts');
    for (let n = 0; n < 20_000; n++) table.set(`stream-${String(n)}`, 'x'.repeat(500));
    expect(namelessFiles().length).toBe(before + 1);
    expect(table.get('stream-77')).toBe('x'.repeat(500));
    tables?.close();
    tables = undefined;
    expect(namelessFiles().length).toBe(before);
  });
});

/** Puts leaves away, in a process that may write no file of more than 50 KiB, until that ends. */
const FULL_DISK = `
const { TemporaryTables } = await import(process.argv[1]);
const { KeptLeaves } = await import(process.argv[2]);
const leaves = new KeptLeaves(new TemporaryTables().table('leaves'));
try {
  for (let n = 0; n < 1_000_000; n++) leaves.append(Buffer.alloc(32, n));
  console.log('no fault');
} catch (error) {
  console.log(error.name, error.fault?.code);
}
`;

it('that cannot be written ends the audit with a fault that has a code', () => {
  const modules = ['temporary/temporary-tables', 'kept-leaves'].map((name) => {
    const source = new URL(`../../../../src/cli/audit/${name}.ts`, import.meta.url);
    return pathToFileURL(built(source)).href;
  });
  const node = [process.execPath, '--input-type=module', '-e', FULL_DISK, ...modules];
  const { stdout } = spawnSync('sh', ['-c', 'ulimit -f 100; exec "$@"', 'sh', ...node], {
    encoding: 'utf8',
  });
  expect(stdout).toBe('AuditFault output-unwritable\n');
});
