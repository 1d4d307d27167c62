import { describe, expect, it } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import fc from 'fast-check';
import { isEndpoint } from '../../../src/agents/domain/transport.js';

const ajv = addFormats.default(new Ajv2020());
/** What the wire schema asks of an endpoint. */
const isUri = ajv.compile({ type: 'string', format: 'uri' });

describe('an endpoint', () => {
  it.each([
    'https://alpha.example/a2a',
    'http://127.0.0.1:41001/a2a/v1',
    'https://[2001:db8::1]:8443/',
    'https://alpha.example',
    'https://alpha.example?tenant=a&x=%20',
    'https://xn--bcher-kva.example/b%C3%BCcher;v=1',
    'https://alpha.example/did:web:alpha~1/@a',
  ])('may be %s', (text) => {
    expect(isEndpoint(text)).toBe(true);
    expect(isUri(text)).toBe(true);
  });

  it.each([
    '',
    '/a2a',
    '//alpha.example/a2a',
    'alpha.example',
    'ftp://alpha.example/',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'data:text/plain,x',
    'HTTPS://alpha.example/',
    'https:/alpha.example/',
    'https:alpha.example',
    'https://',
    'https:///a2a',
    'https://user@alpha.example/',
    'https://user:secret@alpha.example/',
    'https://@alpha.example/',
    'https://alpha.example/a#fragment',
    'https://alpha.example/a b',
    'https://alpha.example/a\n',
    ' https://alpha.example/a',
    'https://alpha.example\\@evil.example/',
    'https://bücher.example/',
    'https://alpha.example/bücher',
    'https://alpha.example/%zz',
    'https://alpha.example:99999/',
    'https://alpha.example:port/',
    'https://[2001:db8::g]/',
    'https://[::1/',
    'https://256.1.1.1/',
    'https://al%00pha.example/',
    `https://alpha.example/${'a'.repeat(2048)}`,
  ])('is never %j', (text) => {
    expect(isEndpoint(text)).toBe(false);
  });

  const part = fc.string({
    unit: fc.constantFrom(...'aZ09.-_~:/?#[]@!$&\'()*+,;=%\\ \t"<>^`{|}é'),
    maxLength: 12,
  });

  it('that passes is a URI for the wire schema and one URL for everybody', () => {
    let passed = 0;
    fc.assert(
      fc.property(part, part, part, (host, path, query) => {
        const text = `https://${host}/${path}?${query}`;
        if (!isEndpoint(text)) return;
        passed++;
        expect(isUri(text)).toBe(true);
        const url = new URL(text);
        expect([url.username, url.password, url.hash]).toEqual(['', '', '']);
      }),
      { numRuns: 5_000 },
    );
    expect(passed).toBeGreaterThan(0);
  });
});
