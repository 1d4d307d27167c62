import { failure, gap, type Flaw } from '../check-result.js';

const MAX_DEPTH = 64;
/** Of the largest bundle within the limits: some 20 values of each entry, and the hashes of its proof. */
export const MAX_BUNDLE_VALUES = 10_000_000;

/**
 * Why a value is not to be worked on: too large or too deep, or no JSON that has a canonical form.
 * Looks at it without recursion and stops once it is too much: a value that contains itself is too deep.
 */
export function workFlaw(value: unknown): Flaw | undefined {
  let level: unknown[] = [value];
  let seen = 0;
  for (let depth = 0; level.length > 0; depth++) {
    seen += level.length;
    if (depth > MAX_DEPTH) return failure('too-many', 'levels');
    const next: unknown[] = [];
    for (const each of level) {
      if (!isJson(each)) return failure('schema-violation', 'a value is no JSON');
      if (typeof each !== 'object' || each === null) continue;
      const names = Array.isArray(each) ? [] : Object.keys(each);
      const children = Array.isArray(each)
        ? (each as unknown[])
        : (Object.values(each) as unknown[]);
      if (seen + next.length + children.length > MAX_BUNDLE_VALUES)
        return gap('too-many', 'values');
      if (!names.every((name) => name.isWellFormed())) {
        return failure('schema-violation', 'a name is no text');
      }
      for (const child of children) next.push(child);
    }
    level = next;
  }
  return undefined;
}

function isJson(value: unknown): boolean {
  switch (typeof value) {
    case 'string':
      return value.isWellFormed();
    case 'number':
      return Number.isFinite(value);
    case 'boolean':
    case 'object':
      return true;
    case 'bigint':
    case 'symbol':
    case 'undefined':
    case 'function':
      return false;
  }
}
