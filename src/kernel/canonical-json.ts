import canonicalize from 'canonicalize';

/**
 * The RFC 8785 (JCS) text of a JSON value. Its UTF-8 bytes are what is hashed and signed.
 * Members whose value is `undefined` are left out, as in JSON.
 *
 * Plain values are written here, several times as fast as by the library, which stays the judge of
 * everything else and, in the tests, of every text that is written here.
 * @throws for a value that is no JSON: a lone surrogate, NaN, an infinity, a function.
 */
export function canonicalJson(value: unknown): string {
  const text = write(value) ?? canonicalize(value);
  if (text === undefined) throw new TypeError('not a JSON value');
  return text;
}

/** Undefined for what is not plain: then the library takes the whole value. */
function write(value: unknown): string | undefined {
  switch (typeof value) {
    case 'string':
      return quote(value);
    case 'number':
      // ECMAScript's own spelling of numbers is the one that RFC 8785 section 3.2.2.3 asks for.
      return Number.isFinite(value) ? String(value) : undefined;
    case 'boolean':
      return value ? 'true' : 'false';
    case 'object':
      if (value === null) return 'null';
      return Array.isArray(value) ? writeArray(value) : writeObject(value as PlainObject);
    case 'bigint':
    case 'symbol':
    case 'undefined':
    case 'function':
      return undefined;
  }
}

type PlainObject = Readonly<Record<string, unknown>>;

function writeArray(values: readonly unknown[]): string | undefined {
  let text = '';
  for (const value of values) {
    const written = write(value);
    if (written === undefined) return undefined;
    text += text === '' ? `[${written}` : `,${written}`;
  }
  return text === '' ? '[]' : `${text}]`;
}

function writeObject(object: PlainObject): string | undefined {
  if (typeof object['toJSON'] === 'function') return undefined;
  let text = '';
  for (const name of sortedNames(object)) {
    const member = object[name];
    if (member === undefined) continue;
    const quoted = quotedName(name);
    const written = write(member);
    if (quoted === undefined || written === undefined) return undefined;
    text += text === '' ? `{${quoted}:${written}` : `,${quoted}:${written}`;
  }
  return text === '' ? '{}' : `${text}}`;
}

/** By code units, as RFC 8785 section 3.2.3 asks. What was read from canonical text is so already. */
function sortedNames(object: PlainObject): readonly string[] {
  const names = Object.keys(object);
  for (let i = 1; i < names.length; i++) {
    if ((names[i - 1] as string) > (names[i] as string)) {
      return names.length > FEW_NAMES ? names.sort() : sortedFew(names, i);
    }
  }
  return names;
}

/** Up to here inserting one by one takes a fraction of what the engine's own sort needs to begin. */
const FEW_NAMES = 16;

/** @param from those before it are sorted */
function sortedFew(names: string[], from: number): readonly string[] {
  for (let i = from; i < names.length; i++) {
    const name = names[i] as string;
    let place = i;
    for (; place > 0 && (names[place - 1] as string) > name; place--) {
      names[place] = names[place - 1] as string;
    }
    names[place] = name;
  }
  return names;
}

/** Documents share their names, so most are looked up; the bounds keep a flood of others small. */
const quotedNames = new Map<string, string>();
const MAX_QUOTED_NAMES = 1_000;
const MAX_QUOTED_LENGTH = 64;

function quotedName(name: string): string | undefined {
  const known = quotedNames.get(name);
  if (known !== undefined) return known;
  const quoted = quote(name);
  if (quoted !== undefined && name.length <= MAX_QUOTED_LENGTH) {
    if (quotedNames.size >= MAX_QUOTED_NAMES) quotedNames.clear();
    quotedNames.set(name, quoted);
  }
  return quoted;
}

/** What JSON escapes, and surrogates, which may be lone ones. */
// eslint-disable-next-line no-control-regex -- these are the characters that are looked for
const NEEDS_CARE = /["\\\u0000-\u001f\ud800-\udfff]/;

/** Most strings need no escape: they are not handed to `JSON.stringify` one by one. */
function quote(text: string): string | undefined {
  if (!NEEDS_CARE.test(text)) return `"${text}"`;
  return text.isWellFormed() ? JSON.stringify(text) : undefined;
}
