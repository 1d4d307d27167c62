import { stem } from './stemmer.js';

/** How much of each kind a text's vector holds; the same kind never meets another. */
const BIGRAM_WEIGHT = 0.5;
const CHARACTERS_WEIGHT = 0.3;
const SHORTEST_GRAM = 3;
const LONGEST_GRAM = 5;

/** Words of a longer text are not read. */
const MAX_WORDS = 128;
const MAX_WORD_LENGTH = 32;

const WORD = /[\p{L}\p{M}\p{N}]+/gu;

/** Lower-case words, without accents' many spellings. */
export function words(text: string): string[] {
  const found = text
    .slice(0, MAX_WORDS * MAX_WORD_LENGTH)
    .normalize('NFKC')
    .toLowerCase()
    .match(WORD);
  return (found ?? []).slice(0, MAX_WORDS).map((word) => word.slice(0, MAX_WORD_LENGTH));
}

/**
 * The terms of a text with the weight of each: stems, pairs of neighbours, and pieces of words with
 * their edges, which bridge misspellings and inflections.
 */
export function terms(text: string): Map<string, number> {
  const found = new Map<string, number>();
  const count = (term: string, weight: number) => found.set(term, (found.get(term) ?? 0) + weight);
  let last: string | undefined;
  for (const word of words(text)) {
    const stemmed = stem(word);
    count(stemmed, 1);
    if (last !== undefined) count(`${last} ${stemmed}`, BIGRAM_WEIGHT);
    last = stemmed;
    const edged = `<${word}>`;
    for (let size = SHORTEST_GRAM; size <= LONGEST_GRAM; size++) {
      for (let at = 0; at + size <= edged.length; at++) {
        count(`#${edged.slice(at, at + size)}`, CHARACTERS_WEIGHT);
      }
    }
  }
  return found;
}
