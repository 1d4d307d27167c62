/** A suffix, what takes its place, and the measure that the rest must exceed. */
type Rule = readonly [suffix: string, replacement: string];

const STEP_2: readonly Rule[] = [
  ['ational', 'ate'],
  ['tional', 'tion'],
  ['enci', 'ence'],
  ['anci', 'ance'],
  ['izer', 'ize'],
  ['bli', 'ble'],
  ['alli', 'al'],
  ['entli', 'ent'],
  ['eli', 'e'],
  ['ousli', 'ous'],
  ['ization', 'ize'],
  ['ation', 'ate'],
  ['ator', 'ate'],
  ['alism', 'al'],
  ['iveness', 'ive'],
  ['fulness', 'ful'],
  ['ousness', 'ous'],
  ['aliti', 'al'],
  ['iviti', 'ive'],
  ['biliti', 'ble'],
];

const STEP_3: readonly Rule[] = [
  ['icate', 'ic'],
  ['ative', ''],
  ['alize', 'al'],
  ['iciti', 'ic'],
  ['ical', 'ic'],
  ['ful', ''],
  ['ness', ''],
];

const STEP_4 =
  /(?:al|ance|ence|er|ic|able|ible|ant|ement|ment|ent|(?<=[st])ion|ou|ism|ate|iti|ous|ive|ize)$/;

const CONSONANT = '(?:[^aeiouy]|(?<=[aeiou]|^)y)';
const VOWEL = '(?:[aeiou]|(?<=[^aeiou])y)';
const HAS_VOWEL = new RegExp(VOWEL);
const DOUBLE = /([^aeiouylsz])\1$/;
const SHORT = new RegExp(`${CONSONANT}${VOWEL}(?:[^aeiouywx])$`);
const VOWEL_RUN = new RegExp(`${VOWEL}+${CONSONANT}`, 'g');

/** How often a run of vowels is followed by consonants. */
const measure = (stem: string): number => stem.match(VOWEL_RUN)?.length ?? 0;

/** The longest suffix of the rules that the word has decides, whether it may go or not. */
function replace(word: string, rules: readonly Rule[]): string {
  let longest: Rule | undefined;
  for (const rule of rules) {
    if (word.endsWith(rule[0]) && rule[0].length > (longest?.[0].length ?? 0)) longest = rule;
  }
  if (longest === undefined) return word;
  const stem = word.slice(0, -longest[0].length);
  return measure(stem) > 0 ? stem + longest[1] : word;
}

function plural(word: string): string {
  if (word.endsWith('sses') || word.endsWith('ies')) return word.slice(0, -2);
  return word.endsWith('s') && !word.endsWith('ss') ? word.slice(0, -1) : word;
}

function participle(word: string): string {
  if (word.endsWith('eed')) return measure(word.slice(0, -3)) > 0 ? word.slice(0, -1) : word;
  const stem = word.replace(/(?:ed|ing)$/, '');
  if (stem === word || !HAS_VOWEL.test(stem)) return word;
  if (/(?:at|bl|iz)$/.test(stem)) return `${stem}e`;
  if (DOUBLE.test(stem)) return stem.slice(0, -1);
  return measure(stem) === 1 && SHORT.test(stem) ? `${stem}e` : stem;
}

function finish(word: string): string {
  const ending = STEP_4.exec(word);
  if (ending !== null && measure(word.slice(0, ending.index)) > 1) {
    word = word.slice(0, ending.index);
  }
  if (word.endsWith('e')) {
    const stem = word.slice(0, -1);
    if (measure(stem) > 1 || (measure(stem) === 1 && !SHORT.test(stem))) word = stem;
  }
  return word.endsWith('ll') && measure(word) > 1 ? word.slice(0, -1) : word;
}

/**
 * The stem of a lower-case English word (Porter 1980): "payments" and "paying" become "payment" and
 * "pay". Words of other letters come back as they are.
 */
export function stem(word: string): string {
  if (word.length < 3 || !/^[a-z]+$/.test(word)) return word;
  let result = participle(plural(word));
  if (result.endsWith('y') && HAS_VOWEL.test(result.slice(0, -1))) {
    result = `${result.slice(0, -1)}i`;
  }
  return finish(replace(replace(result, STEP_2), STEP_3));
}
