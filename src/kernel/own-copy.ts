/**
 * A copy that shares nothing with the original: for whoever may do with it as they like.
 * @param value of plain objects, arrays and what JSON calls scalars alone
 */
export function ownCopy<T>(value: T): T {
  return copyOf(value) as T;
}

function copyOf(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(copyOf);
  const copy: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(value)) copy[name] = copyOf(member);
  return copy;
}
