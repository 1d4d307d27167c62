import { fileURLToPath } from 'node:url';
import { javaScriptOf } from './javascript.mjs';

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
  // Where nothing may be written it is made at every start.
  const source = await javaScriptOf(fileURLToPath(url), () => undefined);
  return { format: 'module', source, shortCircuit: true };
}
