/** The identifiers that entries of contracts are understood by; the same object while none came. */
export type KnownIdentifiers = Pick<ReadonlySet<string>, 'has'>;

/** An entry that is no known identifier applies to every call: what a person wrote must not fail open. */
export function isProse(entry: string, known: KnownIdentifiers): boolean {
  return !known.has(entry);
}

/** The first of them that is prose. */
export function proseIn(entries: readonly string[], known: KnownIdentifiers): string | undefined {
  return entries.find((entry) => isProse(entry, known));
}
