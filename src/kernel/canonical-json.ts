import canonicalize from 'canonicalize';

/**
 * The RFC 8785 (JCS) text of a JSON value. Its UTF-8 bytes are what is hashed and signed.
 * Members whose value is `undefined` are left out, as in JSON.
 * @throws for a value that is no JSON: a lone surrogate, NaN, an infinity, a function.
 */
export function canonicalJson(value: unknown): string {
  const text = canonicalize(value);
  if (text === undefined) throw new TypeError('not a JSON value');
  return text;
}
