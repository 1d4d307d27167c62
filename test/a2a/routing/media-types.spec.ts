import { describe, expect, it } from '@jest/globals';
import { acceptedModes, mediaTypesOf, takesAll } from '../../../src/a2a/routing/media-types.js';
import type { Part } from '../../../src/a2a/wire/types.js';

describe('the media type of a part', () => {
  it.each<[Part, string]>([
    [{ text: 'x' }, 'text/plain'],
    [{ text: 'x', mediaType: 'application/pdf' }, 'text/plain'],
    [{ text: 'x', mediaType: 'Text/Markdown; charset=utf-8' }, 'text/plain'],
    [{ text: '', mediaType: 'pdf' }, 'text/plain'],
    [{ data: null }, 'application/json'],
    [{ data: {}, mediaType: 'application/vnd.invoice+json' }, 'application/json'],
    [{ data: {}, mediaType: 'application/pdf' }, 'application/json'],
    [{ raw: '' }, 'application/octet-stream'],
    [{ url: 'https://a.example/x.pdf' }, 'application/octet-stream'],
    [{ raw: '', mediaType: ' application/PDF ;v=1' }, 'application/pdf'],
    [{ raw: '', mediaType: '' }, 'application/octet-stream'],
    [{ raw: '', mediaType: 'pdf' }, ''],
    [{ raw: '', mediaType: 'image/*' }, ''],
    [{ raw: '', mediaType: '*/*' }, ''],
  ])('of %j is %s', (part, mediaType) => {
    expect(mediaTypesOf([part])).toEqual([mediaType]);
  });
});

describe('input modes', () => {
  it.each<[string[], string[], boolean]>([
    [['text/plain', 'application/pdf'], ['application/pdf', 'text/plain'], true],
    [['text/plain'], ['application/pdf', 'text/plain'], false],
    [['image/*'], ['image/png', 'image/jpeg'], true],
    [['image/*'], ['imagery/png'], false],
    [['text/plain', 'image/*'], ['image/png', 'text/plain'], true],
    [['text/*'], [''], false],
    [[], ['text/plain'], false],
  ])('%j hold %j: %s', (modes, mediaTypes, expected) => {
    expect(takesAll(modes, mediaTypes)).toBe(expected);
  });
});

describe('output modes for a client', () => {
  const offered = ['application/json', 'image/*'];

  it.each<[string[] | undefined, string[]]>([
    [undefined, offered],
    [[], offered],
    [['*/*'], offered],
    [['application/json'], ['application/json']],
    [['Application/JSON;q=0.5'], ['application/json']],
    [['application/*'], ['application/json']],
    [
      ['image/png', 'image/svg+xml'],
      ['image/png', 'image/svg+xml'],
    ],
    [['image/*', 'text/plain'], ['image/*']],
    [['text/plain'], []],
    [['json'], []],
  ])('that accepts %j are %j', (accepted, expected) => {
    expect(acceptedModes(offered, accepted)).toEqual(expected);
  });
});
