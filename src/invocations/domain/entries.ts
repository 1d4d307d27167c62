/** Whether an entry of a contract is an identifier by which calls are told apart. */
export type IsKnown = (entry: string) => boolean;

/**
 * The first entry that is prose: no known identifier, so that it applies to every call. What a person
 * wrote must not fail open.
 */
export function proseIn(entries: readonly string[], isKnown: IsKnown): string | undefined {
  return entries.find((entry) => !isKnown(entry));
}
