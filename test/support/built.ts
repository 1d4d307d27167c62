import { fileURLToPath } from 'node:url';
import { outputOf } from './typescript/javascript.mjs';

/**
 * The file of the build that was made of a TypeScript file: what a process of its own is started
 * from, or imports.
 * @param source its `file:` URL
 * @returns its path
 */
export function built(source: string | URL): string {
  return outputOf(fileURLToPath(source));
}
