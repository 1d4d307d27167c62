import { createHash, randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { swcOptions } from './swc-options.mjs';

export const ROOT = resolve(import.meta.dirname, '../../..');
/** Within the project, so that its packages are found; never listed by git. */
export const BUILD = join(ROOT, 'node_modules/.cache/countersign');

const { version } = createRequire(import.meta.url)('@swc/core/package.json');
const COMPILER = JSON.stringify([version, swcOptions]);

/** Where the JavaScript of a TypeScript file of the project is kept, with its source map beside it. */
export function outputOf(filename) {
  return join(BUILD, relative(ROOT, filename)).replace(/\.ts$/, '.js');
}

/**
 * The JavaScript of a TypeScript file. What is kept says in its last line from which bytes and by
 * which compiler it was made: for any others it is made again.
 *
 * @param unkept takes the reason why it could not be kept; without it that is thrown
 */
export async function javaScriptOf(filename, unkept) {
  const source = readFileSync(filename);
  // Somebody's scratch file.
  if (!filename.startsWith(ROOT + sep)) {
    return (await compile(filename, source, { sourceMaps: 'inline' })).code;
  }
  const stamp = `//# made-of=${createHash('sha256').update(COMPILER).update(source).digest('hex')}\n`;
  const output = outputOf(filename);
  const kept = textOf(output);
  if (kept?.endsWith(stamp)) return kept;

  const { code, map } = await compile(filename, source, { sourceMaps: true });
  const text = `${code}//# sourceMappingURL=${basename(output)}.map\n${stamp}`;
  try {
    keep(`${output}.map`, map);
    keep(output, text);
  } catch (error) {
    if (unkept === undefined) throw error;
    unkept(error);
  }
  return text;
}

/** Writes in one step: others may be reading it, or writing the same. */
export function keep(path, text) {
  mkdirSync(dirname(path), { recursive: true });
  const draft = `${path}.${randomUUID()}`;
  try {
    writeFileSync(draft, text);
    renameSync(draft, path);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}

/** The text of a file, undefined when there is none. */
export function textOf(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

async function compile(filename, source, options) {
  // A native library of its size is only loaded for a file that has changed.
  const { transform } = await import('@swc/core');
  return transform(source.toString(), {
    ...swcOptions,
    ...options,
    filename,
    sourceFileName: filename,
    swcrc: false,
  });
}
