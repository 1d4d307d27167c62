/** Names of RFC 6838 section 4.2, lower case. */
const MEDIA_RANGE = /^[a-z0-9][a-z0-9!#$&^_.+-]{0,63}\/(?:\*|[a-z0-9][a-z0-9!#$&^_.+-]{0,63})$/;

/**
 * `type/subtype` or `type/*` without parameters, in lower case; undefined for anything else, the
 * range of everything among it: a capability says what it takes.
 */
export function parseMediaRange(text: string): string | undefined {
  const lower = text.toLowerCase();
  return MEDIA_RANGE.test(lower) ? lower : undefined;
}
