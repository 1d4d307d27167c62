/**
 * True when the JSON text of a value is longer than `limit` characters. A lower bound, which looks at
 * no more of the value than it must: escapes and the text of numbers are not counted.
 */
export function isBeyond(value: unknown, limit: number): boolean {
  return charactersLeft(value, limit) < 0;
}

/** What is left of a number of characters, negative as soon as there are none. */
function charactersLeft(value: unknown, characters: number): number {
  if (typeof value === 'string') return characters - value.length - 2;
  if (typeof value !== 'object' || value === null) return characters - 1;
  let left = characters - 2;
  if (Array.isArray(value)) {
    for (const item of value as readonly unknown[]) {
      if (left < 0) return left;
      left = charactersLeft(item, left);
    }
    return left;
  }
  for (const [name, member] of Object.entries(value)) {
    if (left < 0) return left;
    if (member !== undefined) left = charactersLeft(member, left - name.length - 3);
  }
  return left;
}
