/**
 * The value itself, which nobody changes any more: for what many are given. What is frozen already is
 * taken to be so as a whole, so that what is kept and given often is walked through once.
 * @param value of plain objects, arrays and what JSON calls scalars alone
 */
export function deepFrozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const member of Object.values(value)) deepFrozen<unknown>(member);
  return Object.freeze(value);
}
