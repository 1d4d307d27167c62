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
  // Defined and not assigned: of a member `__proto__`, an assignment would make the prototype.
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, copyOf(member)]));
}
