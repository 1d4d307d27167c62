/**
 * Whether a text has at most so many characters, each a Unicode code point: as `maxLength` of JSON Schema
 * counts them (Validation, section 6.3.1). Counts only where it has to: each is one code unit, or two.
 */
export function hasAtMostCharacters(text: string, max: number): boolean {
  return text.length <= max || (text.length <= 2 * max && [...text].length <= max);
}
