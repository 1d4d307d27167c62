import { describe, expect, it } from '@jest/globals';
import { negotiateVersion, type ReceivedValue } from '../../../src/a2a/negotiation/version.js';

function answer(header: ReceivedValue, query?: ReceivedValue): string {
  const negotiated = negotiateVersion(header, query);
  return negotiated.ok ? negotiated.value : negotiated.error.error;
}

const REFUSED = 'VersionNotSupported';

describe('the A2A-Version of a request', () => {
  it.each<[header: ReceivedValue, query: ReceivedValue, outcome: string]>([
    [undefined, undefined, REFUSED],
    ['', undefined, REFUSED],
    ['  ', '', REFUSED],
    ['0.3', undefined, REFUSED],
    ['1.0', undefined, '1.0'],
    [' 1.0\t', undefined, '1.0'],
    ['1.0.0', undefined, '1.0'],
    ['1.0.17', undefined, '1.0'],
    ['1', undefined, REFUSED],
    ['1.', undefined, REFUSED],
    ['1.0.', undefined, REFUSED],
    ['1.0.0.0', undefined, REFUSED],
    ['1.0.0-beta', undefined, REFUSED],
    ['01.0', undefined, REFUSED],
    ['1.00', undefined, REFUSED],
    ['v1.0', undefined, REFUSED],
    ['1.1', undefined, REFUSED],
    ['9.9', undefined, REFUSED],
    ['abc', undefined, REFUSED],
    ['１.０', undefined, REFUSED],
    ['1.0, 1.0', undefined, REFUSED],
    ['1.0\n', undefined, '1.0'],
    // The query stands in for the header, and never against it.
    [undefined, '1.0', '1.0'],
    [undefined, '1.0.3', '1.0'],
    ['', '1.0', '1.0'],
    ['1.0', '', '1.0'],
    ['1.0', '1.0.1', '1.0'],
    ['1.0', '0.3', REFUSED],
    ['0.3', '1.0', REFUSED],
    [undefined, 'abc', REFUSED],
    [undefined, ['1.0', '1.0'], '1.0'],
    [undefined, ['1.0', '9.9'], REFUSED],
    [['1.0', '9.9'], undefined, REFUSED],
  ])('header %j and query %j: %s', (header, query, outcome) => {
    expect(answer(header, query)).toBe(outcome);
  });

  it('is refused with what is served, and without what was sent', () => {
    const negotiated = negotiateVersion('<script>', undefined);
    if (negotiated.ok) throw new Error('not refused');
    expect(negotiated.error.metadata).toEqual({ supportedVersions: '1.0' });
    expect(JSON.stringify(negotiated.error)).not.toContain('script');
  });

  it('is judged at once, however long it is', () => {
    expect(answer('1.'.repeat(8000))).toBe(REFUSED);
    expect(answer(`1.${'0'.repeat(16_000)}`)).toBe(REFUSED);
  });
});
