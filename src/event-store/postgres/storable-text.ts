/**
 * Whether a text can be a value of PostgreSQL's: it has no U+0000, and is stored as UTF-8, in which
 * there are no lone surrogates. Another can be the name of nothing that is stored. (Bodies are JSON
 * text, where both are escaped.)
 */
export function isStorable(text: string): boolean {
  return !/\0|\p{Surrogate}/u.test(text);
}

/** @throws {TypeError} for a text that PostgreSQL cannot hold. */
export function refuseUnstorable(text: string): void {
  if (!isStorable(text))
    throw new TypeError('a name with U+0000 or a lone surrogate is not stored');
}
