import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { BUILD, javaScriptOf, keep, outputOf, ROOT, textOf } from './javascript.mjs';

/** Where programs are, and what they import. */
const SOURCES = ['src', 'test'];
/** What they read besides. */
const READ = ['schemas', 'assets', 'examples'];

/**
 * The build from which tests start processes: a start takes half of what it takes from the sources.
 * Only what has changed is made again, and what has no source any more is taken away.
 */
export async function build() {
  mkdirSync(BUILD, { recursive: true });
  for (const folder of READ) link(join(ROOT, folder), join(BUILD, folder));
  const manifest = readFileSync(join(ROOT, 'package.json'), 'utf8');
  if (textOf(join(BUILD, 'package.json')) !== manifest) keep(join(BUILD, 'package.json'), manifest);

  const files = SOURCES.flatMap((folder) => filesIn(join(ROOT, folder))).filter(isForPrograms);
  await Promise.all(files.map((file) => javaScriptOf(file)));

  const wanted = new Set(files.map(outputOf).flatMap((output) => [output, `${output}.map`]));
  for (const file of SOURCES.flatMap((folder) => filesIn(join(BUILD, folder)))) {
    // Anything with another ending is the draft of somebody who builds at the same time.
    if (/\.js(\.map)?$/.test(file) && !wanted.has(file)) rmSync(file, { force: true });
  }
}

function isForPrograms(file) {
  return file.endsWith('.ts') && !/\.(spec|d)\.ts$/.test(file);
}

function filesIn(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

function link(target, path) {
  try {
    symlinkSync(target, path, 'junction');
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
  }
}
