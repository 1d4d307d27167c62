import { cp, readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { countersign, Folder } from './support/countersign.js';

const FINANCE = fileURLToPath(new URL('../../examples/finance/', import.meta.url));

let folder: Folder;

beforeEach(async () => {
  folder = await Folder.make();
  await cp(FINANCE, folder.path, { recursive: true });
});

afterEach(() => folder.remove());

async function change(name: string, changes: object): Promise<void> {
  const path = folder.in(`capabilities/${name}.json`);
  const manifest = JSON.parse(await readFile(path, 'utf8')) as object;
  await writeFile(path, JSON.stringify({ ...manifest, ...changes }));
}

/** By name and card: bytes in `skills`, in `params.skills`, of both, tokens. */
async function sizes(): Promise<ReadonlyMap<string, readonly number[]>> {
  const { exitCode, stdout, stderr } = await countersign(['card-size', folder.in('agents.json')]);
  expect([exitCode, stderr]).toEqual([0, 'Tokens are estimated: bytes / 4.\n']);
  const [head, ...rows] = stdout.trimEnd().split('\n');
  expect(head).toMatch(/^skill +card +skills +params\.skills +bytes +tokens$/);
  return new Map(
    rows.map((line) => {
      const [name = '', card = '', ...numbers] = line.trim().split(/ +/);
      return [`${name} ${card}`, numbers.map(Number)];
    }),
  );
}

const DIRECT = {
  input_schema: { type: 'object', properties: { number: { type: 'string' } } },
  output_schema: { type: 'object' },
  backend: { type: 'in-process' },
};

describe('countersign card-size', () => {
  it('adds each skill up, and those of the public card apart from all', async () => {
    await change('lookup-invoice', { direct_invoke: DIRECT });
    await change('reconcile-invoice', { direct_invoke: DIRECT });
    const before = await sizes();
    const lookup = before.get('lookup-invoice public') ?? [];
    const reconcile = before.get('reconcile-invoice extended') ?? [];
    expect(before.get('total public')).toEqual(lookup);
    expect(reconcile[1]).toBeGreaterThan(0);
    const skills = [...before].filter(([name]) => !/^(total|public-card) /.test(name));
    expect(before.get('total all')?.slice(0, 3)).toEqual(
      [0, 1, 2].map((at) => skills.reduce((sum, [, numbers]) => sum + (numbers[at] ?? 0), 0)),
    );
    const declaration = {
      inputSchema: DIRECT.input_schema,
      outputSchema: DIRECT.output_schema,
      directInvokeSupported: true,
      bypassModel: true,
      backend: DIRECT.backend,
      fallback: 'none',
    };
    const [skill = 0, direct = 0, bytes = 0, tokens] = lookup;
    expect(direct).toBe(`"lookup-invoice":${JSON.stringify(declaration)}`.length);
    expect([bytes, tokens]).toEqual([skill + direct, Math.ceil((skill + direct) / 4)]);
    expect(before.get('public-card public')?.[0]).toBeGreaterThan(bytes);
  });

  it('counts nothing for what cannot be invoked directly, and lists nothing that no card does', async () => {
    const bare = { direct_invoke: undefined };
    await change('lookup-invoice', bare);
    await change('reconcile-invoice', { visibility: 'internal' });
    const all = await sizes();
    expect([...all.keys()].filter((name) => name.startsWith('reconcile-invoice'))).toEqual([]);
    expect(all.get('lookup-invoice public')?.[1]).toBe(0);
  });

  it.each([
    ['usage', []],
    ['usage', ['a', 'b']],
    ['agents-invalid', ['/nowhere.json']],
  ])('refuses with %s', async (code, options) => {
    const { exitCode, stdout, stderr } = await countersign(['card-size', ...options]);
    expect([exitCode, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(new RegExp(`^${code}: `));
  });
});
