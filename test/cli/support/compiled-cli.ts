import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { transform } from '@swc/core';
import { afterAll } from '@jest/globals';
import { swcOptions } from '../../support/typescript/swc-options.mjs';

const root = fileURLToPath(new URL('../../../', import.meta.url));
/** Within the project, so that its dependencies are found; never listed by git. */
const CACHE = join(root, 'node_modules/.cache');
/** What the commands import. */
const PARTS = [
  'kernel',
  'audit',
  'cli',
  'config',
  'attestation/domain',
  'capabilities',
  'http/authentication',
];

/**
 * The command as a build leaves it, made once per suite: a start then takes a fraction of what it
 * takes to transform every file in each process.
 * @returns the path of main.js
 */
export function compiledCli(): Promise<string> {
  compiling ??= compile();
  return compiling;
}

let compiling: Promise<string> | undefined;
let folder: string | undefined;

afterAll(async () => {
  if (folder !== undefined) await rm(folder, { recursive: true, force: true });
});

async function compile(): Promise<string> {
  await mkdir(CACHE, { recursive: true });
  folder = await mkdtemp(join(CACHE, 'countersign-cli-'));
  await symlink(join(root, 'schemas'), join(folder, 'schemas'));
  await symlink(join(root, 'package.json'), join(folder, 'package.json'));
  for (const part of PARTS) {
    const source = join(root, 'src', part);
    for (const entry of await readdir(source, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile() || !entry.name.endsWith('.ts')) continue;
      const filename = join(entry.parentPath, entry.name);
      const { code } = await transform(await readFile(filename, 'utf8'), {
        ...swcOptions,
        filename,
        swcrc: false,
      });
      const output = join(folder, 'dist', relative(join(root, 'src'), filename));
      await mkdir(dirname(output), { recursive: true });
      await writeFile(output.replace(/\.ts$/, '.js'), code);
    }
  }
  return join(folder, 'dist/cli/main.js');
}
