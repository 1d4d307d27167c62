import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { javaScriptOf, outputOf } from './javascript.mjs';

const PACKAGES = fileURLToPath(new URL('../../../node_modules/', import.meta.url));

let folder: string;
let file: string;

beforeEach(async () => {
  // Of the project, and seen by no other test.
  folder = await mkdtemp(join(PACKAGES, '.javascript-'));
  file = join(folder, 'scratch.ts');
  await writeFile(file, 'export const answer: number = 41;\n');
});

afterEach(async () => {
  await rm(folder, { recursive: true });
  await rm(dirname(outputOf(file)), { recursive: true, force: true });
});

it('is kept as it was given, with a source map', async () => {
  const code = await javaScriptOf(file);
  expect(code).toContain('answer = 41;');
  expect(await readFile(outputOf(file), 'utf8')).toBe(code);
  const map = JSON.parse(await readFile(`${outputOf(file)}.map`, 'utf8')) as object;
  expect(map).toMatchObject({ sources: [file] });
});

it('is not made again of the same bytes', async () => {
  await javaScriptOf(file);
  const { ino } = await stat(outputOf(file));
  await writeFile(file, await readFile(file));
  await javaScriptOf(file);
  expect((await stat(outputOf(file))).ino).toBe(ino);
});

it('is made again of others, also when size and time of the file are the same', async () => {
  await javaScriptOf(file);
  const { atime, mtime } = await stat(file);
  await writeFile(file, 'export const answer: number = 42;\n');
  await utimes(file, atime, mtime);
  expect(await javaScriptOf(file)).toContain('answer = 42;');
  expect(await readFile(outputOf(file), 'utf8')).toContain('answer = 42;');
});

it('is made again when what was kept is not whole', async () => {
  const code = await javaScriptOf(file);
  await writeFile(outputOf(file), code.slice(0, -9));
  expect(await javaScriptOf(file)).toBe(code);
});

it('of a file that is not of the project is kept nowhere', async () => {
  const outside = await mkdtemp(join(tmpdir(), 'countersign-test-'));
  const scratch = join(outside, 'scratch.ts');
  await writeFile(scratch, 'export const answer: number = 41;\n');
  expect(await javaScriptOf(scratch)).toContain('answer = 41;');
  expect(existsSync(outputOf(scratch))).toBe(false);
  await rm(outside, { recursive: true });
});
