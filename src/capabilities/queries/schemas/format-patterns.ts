/**
 * Formats as expressions that an automaton can follow (no looking around), each for a whole text. No
 * text is ever shown to the expressions themselves: some would take for ever.
 */

const HEX = '[0-9a-f]';
const DIGIT = '[0-9]';

/** `characters`, those of every part of a URI, and whatever is percent-encoded (RFC 3986). */
function uriCharacters(characters: string): string {
  return `(?:[a-z0-9\\-._~!$&'()*+,;=${characters}]|%${HEX}{2})`;
}

function host(): string {
  const group = `${HEX}{1,4}`;
  const octet = `(?:25[0-5]|2[0-4]${DIGIT}|[01]?${DIGIT}${DIGIT}?)`;
  const ipv4 = `(?:${octet}\\.){3}${octet}`;
  const last = `(?:${group}:${group}|${ipv4})`;
  /** Left out (`::`) after at most so many groups; `rest` follows. */
  const gapAfter = (groups: number, rest: string): string =>
    `${groups === 0 ? '' : `(?:(?:${group}:){0,${groups - 1}}${group})?`}::${rest}`;
  const ipv6 = [
    `(?:${group}:){6}${last}`,
    ...[5, 4, 3, 2, 1, 0].map((more, groups) => gapAfter(groups, `(?:${group}:){${more}}${last}`)),
    gapAfter(6, group),
    gapAfter(7, ''),
  ];
  const future = `v${HEX}+\\.[a-z0-9\\-._~!$&'()*+,;=:]+`;
  return `(?:\\[(?:${ipv6.join('|')}|${future})\\]|${uriCharacters('')}*)`;
}

function uri(): string {
  const segment = uriCharacters(':@');
  const path = `(?:/${segment}*)*`;
  const authority = `(?:${uriCharacters(':')}*@)?${host()}(?::${DIGIT}*)?`;
  const rest = `${uriCharacters(':@/?')}*`;
  const scheme = '[a-z][a-z0-9+\\-.]*:';
  return `^${scheme}(?:/?/${authority}${path}|/(?:${segment}+${path})?|${segment}+${path})(?:\\?${rest})?(?:#${rest})?$`;
}

/** RFC 3986: with a scheme, and something behind it. */
export const URI = new RegExp(uri(), 'iu');

function duration(): string {
  const of = (unit: string): string => `${DIGIT}+${unit}`;
  /** The first that there is, and any of those after it. */
  const some = (...units: readonly string[]): string =>
    units
      .map((unit, at) => [of(unit), ...units.slice(at + 1).map((more) => `(?:${of(more)})?`)])
      .map((parts) => parts.join(''))
      .join('|');
  const time = `T(?:${some('H', 'M', 'S')})`;
  return `^P(?:(?:${some('Y', 'M', 'D')})(?:${time})?|${time}|${of('W')})$`;
}

/** RFC 3339, appendix A; parts between two others may be left out. */
export const DURATION = new RegExp(duration(), 'u');

/** Base64 with its padding, in one line or in several. */
export const BYTE =
  /^(?:[A-Za-z0-9+/]{4}|[\r\n])*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?[\r\n]*$/u;

/** Any of the words and nothing else, as a pattern; those with the same end share it. */
function among(words: readonly string[]): string {
  const startsOf = new Map<string, string>();
  for (const start of new Set(words.flatMap((word) => word.slice(0, 1)))) {
    if (start === '') continue;
    const rests = words.filter((word) => word.startsWith(start)).map((word) => word.slice(1));
    const rest = among(rests);
    startsOf.set(rest, (startsOf.get(rest) ?? '') + start);
  }
  if (startsOf.size === 0) return '';
  const all = [...startsOf].map(([rest, starts]) => `[${starts}]${rest}`).join('|');
  return `(?:${all})${words.includes('') ? '?' : ''}`;
}

/** All whole numbers from `first` to `last`, but those `without` says. */
function numbers(first: number, last: number, without: readonly number[] = []): string[] {
  return Array.from({ length: last - first + 1 }, (_, at) => first + at)
    .filter((each) => !without.includes(each))
    .map(String);
}

function publicAddress(): string {
  const octet = [...numbers(0, 255), ...numbers(0, 9).map((digit) => `0${digit}`)];
  /** Networks of which a part is nobody's on the public web, with that part. */
  const halfPrivate: readonly (readonly [number, readonly string[]])[] = [
    [169, ['254']],
    [172, numbers(16, 31)],
    [192, ['168']],
  ];
  const firstTwo = [
    `${among(numbers(1, 223, [10, 127, 169, 172, 192]))}\\.${among(octet)}`,
    ...halfPrivate.map(
      ([first, left]) => `${first}\\.${among(octet.filter((each) => !left.includes(each)))}`,
    ),
  ];
  return `(?:${firstTwo.join('|')})\\.${among(octet)}\\.${among(numbers(1, 254))}`;
}

function publicUrl(): string {
  const beyond = '\\u{80}-\\u{10ffff}';
  const label = `(?:[a-z0-9${beyond}]+-)*[a-z0-9${beyond}]+`;
  const domain = `${label}(?:\\.${label})*\\.[a-z${beyond}]{2,}`;
  const host = `(?:${publicAddress()}|${domain})`;
  const visible = '[^\\t-\\r ]';
  return `^(?:https?|ftp)://(?:${visible}+@)?${host}(?::${DIGIT}{2,5})?(?:/${visible}*)?$`;
}

/**
 * A URL of the public web, not in JSON Schema: of a host with a domain, or of an IPv4 address that is
 * no private one. What is not of ASCII may stand wherever a letter may.
 */
export const PUBLIC_URL = new RegExp(publicUrl(), 'iu');
