import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { transform } from '@swc/core';
import { swcOptions } from './swc-options.mjs';

const RELATIVE_JS = /^\.{1,2}\/.*\.js$/;

/** NodeNext sources name the file that the build will make; here that file is still `.ts`. */
export async function resolve(specifier, context, nextResolve) {
  if (RELATIVE_JS.test(specifier) && context.parentURL?.endsWith('.ts')) {
    return nextResolve(specifier.replace(/\.js$/, '.ts'), context);
  }
  return nextResolve(specifier, context);
}

export async function load(url, context, nextLoad) {
  if (!url.startsWith('file:') || !url.endsWith('.ts')) return nextLoad(url, context);
  const filename = fileURLToPath(url);
  const { code } = await transform(await readFile(filename, 'utf8'), {
    ...swcOptions,
    filename,
    swcrc: false,
    sourceMaps: 'inline',
  });
  return { format: 'module', source: code, shortCircuit: true };
}
