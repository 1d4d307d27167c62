import { createHash } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { register } from 'node:module';
import { fileURLToPath } from 'node:url';
import { isMainThread } from 'node:worker_threads';

/**
 * Lets a child process run the TypeScript sources as they are (`node --import <this file>`), with
 * the same compiler settings as the tests: nothing has to be built first. What was compiled once is
 * kept, under the hash of its source.
 */
if (isMainThread) register(import.meta.url);

const OPTIONS = {
  jsc: {
    target: 'es2023',
    parser: { syntax: 'typescript', decorators: true },
    transform: { legacyDecorator: true, decoratorMetadata: true },
  },
  module: { type: 'es6' },
};

const CACHE = fileURLToPath(
  new URL('../../node_modules/.cache/countersign-test/', import.meta.url),
);

export async function resolve(specifier, context, next) {
  const isOurs = specifier.startsWith('.') && context.parentURL?.endsWith('.ts');
  return next(isOurs ? specifier.replace(/\.js$/, '.ts') : specifier, context);
}

export async function load(url, context, next) {
  if (!url.endsWith('.ts')) return next(url, context);
  const filename = fileURLToPath(url);
  const source = await readFile(filename, 'utf8');
  const key = createHash('sha256')
    .update(JSON.stringify([OPTIONS, filename, source]))
    .digest('hex');
  const cached = `${CACHE}${key}.js`;
  const code = await readFile(cached, 'utf8').catch(() => compile(source, filename, cached));
  return { format: 'module', source: code, shortCircuit: true };
}

async function compile(source, filename, cached) {
  const { transform } = await import('@swc/core');
  const { code } = await transform(source, { ...OPTIONS, filename });
  await mkdir(CACHE, { recursive: true });
  const draft = `${cached}.${process.pid}`;
  await writeFile(draft, code);
  await rename(draft, cached);
  return code;
}
