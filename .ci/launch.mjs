/**
 * `node .ci/launch.mjs dist/main.js [arguments]`: installs what is missing, builds what is older
 * than its source, then becomes that program, so that signals reach it directly.
 */
import { spawn } from 'node:child_process';
import { readdir, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ensureInstalled } from './ensure-installed.mjs';

const ROOT = resolve(import.meta.dirname, '..');
const SOURCES = ['src', 'tsconfig.json', 'tsconfig.build.json', 'package-lock.json'];

const [entry, ...rest] = process.argv.slice(2);
if (entry === undefined) throw new Error('say which file to run: dist/main.js');
const program = resolve(ROOT, entry);

if (await mustBuild()) {
  await ensureInstalled();
  await build();
} else {
  await ensureInstalled({ production: true });
}
process.argv = [process.argv[0], program, ...rest];
await import(pathToFileURL(program).href);

/** A deployment without `src` has nothing to build. */
async function mustBuild() {
  const newest = Math.max(...(await Promise.all(SOURCES.map((one) => newestIn(join(ROOT, one))))));
  return newest > ((await modifiedAt(program)) ?? 0);
}

async function newestIn(path) {
  const modified = await modifiedAt(path);
  if (modified === undefined) return 0;
  const names = await readdir(path).catch(() => []);
  const inside = await Promise.all(names.map((name) => newestIn(join(path, name))));
  return Math.max(modified, ...inside);
}

async function modifiedAt(path) {
  return (await stat(path).catch(() => undefined))?.mtimeMs;
}

async function build() {
  console.error('Building.');
  const child = spawn('npm', ['run', '--silent', 'build'], {
    cwd: ROOT,
    stdio: ['ignore', 'inherit', 'inherit'],
    shell: process.platform === 'win32',
  });
  const code = await new Promise((done, failed) => {
    child.once('error', failed);
    child.once('close', done);
  });
  if (code !== 0) process.exit(1);
}
