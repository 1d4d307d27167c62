import { readFileSync } from 'node:fs';

const API = new URL('../../../docs/api.md', import.meta.url);

/**
 * The addresses of the table in docs/api.md, each `METHOD /path` with its parameters as `{}`. One that
 * is said without a method stands for all that begins with it, and `…` for whatever follows.
 */
export function isDocumented(): (method: string, path: string) => boolean {
  const rows = readFileSync(API, 'utf8').matchAll(/^\| (`(?:[A-Z]+|\/|`, `)[^|]*) \|/gm);
  const patterns = Array.from(rows, ([, cell = '']) => addressesIn(cell)).flat();
  return (method, path) => {
    const address = `${method} ${unnamed(path)}`;
    return patterns.some((pattern) => pattern.test(address));
  };
}

/** A method counts until the next one; several in a row count together. */
function addressesIn(cell: string): readonly RegExp[] {
  const patterns: RegExp[] = [];
  let methods: string[] = [];
  let hasPath = false;
  for (const [, method, path] of cell.matchAll(/`([A-Z]+)?(?: ?(\/[^`]*))?`/g)) {
    if (method !== undefined) {
      methods = hasPath ? [method] : [...methods, method];
      hasPath = false;
    }
    if (path === undefined) continue;
    hasPath = true;
    const text = escaped(unnamed(path)).replace('…', '.*');
    const end = methods.length === 0 ? '(?:/.*)?' : '';
    patterns.push(new RegExp(`^(?:${methods.join('|') || '[A-Z]+'}) ${text}${end}$`));
  }
  return patterns;
}

const unnamed = (path: string): string => path.replaceAll(/\{\w+\}/g, '{}');
const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
