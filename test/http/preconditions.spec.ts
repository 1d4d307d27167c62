import { describe, expect, it } from '@jest/globals';
import { interactionEtag, matchesIfNoneMatch, parseIfMatch } from '../../src/http/etag.js';
import { inTermsOf, namedHead } from '../../src/http/named-head.js';
import type { TermsHash } from '../../src/kernel/ids.js';
import type { Head } from '../../src/kernel/rejection.js';

const HASH = 'A'.repeat(43) as TermsHash;
const HEAD: Head = { revision: 3, status: 'proposed', termsHash: HASH };
const ETAG = interactionEtag({ version: 7, status: 'pending' }, HEAD);

const OTHERS = [
  interactionEtag({ version: 8, status: 'pending' }, HEAD),
  // What an expiry that was only computed and the act that came in its place have in common is all else.
  interactionEtag({ version: 7, status: 'expired' }, HEAD),
];

describe('the ETag of an interaction', () => {
  it('says version, status and head', () => {
    expect(ETAG).toBe(`"7.pending.3.proposed.${HASH}"`);
  });

  it('gives the head back, whatever the version', () => {
    expect(parseIfMatch(ETAG)).toEqual({ ok: true, value: HEAD });
    expect(parseIfMatch(interactionEtag({ version: 0, status: 'active' }, HEAD))).toEqual({
      ok: true,
      value: HEAD,
    });
  });

  it.each([
    ['*'],
    [''],
    [`W/${ETAG}`],
    [`${ETAG}, ${ETAG}`],
    [ETAG.replaceAll('"', '')],
    [`"7.pending.0.proposed.${HASH}"`],
    [`"7.pending.03.proposed.${HASH}"`],
    [`"7.pending.3.constructor.${HASH}"`],
    [`"7.pending.3.proposed.${'B'.repeat(43)}"`],
    [`"7.pending.3.proposed.${HASH}x"`],
    [`"${'9'.repeat(20)}.pending.3.proposed.${HASH}"`],
    [`"7.3.proposed.${HASH}"`],
  ])('does not take %s for one', (text) => {
    expect(parseIfMatch(text)).toMatchObject({ ok: false, error: { code: 'request-invalid' } });
  });

  it('matches If-None-Match weakly', () => {
    for (const header of [ETAG, `W/${ETAG}`, `"x", ${ETAG}`, '*']) {
      expect([header, matchesIfNoneMatch(header, ETAG)]).toEqual([header, true]);
    }
    for (const header of [null, '"x"', ...OTHERS]) {
      expect([header, matchesIfNoneMatch(header, ETAG)]).toEqual([header, false]);
    }
  });
});

describe('the head that a command names', () => {
  it('comes from the body or from If-Match', () => {
    expect(namedHead(HEAD, null)).toEqual({ ok: true, value: { head: HEAD, by: 'body' } });
    expect(namedHead(undefined, ETAG)).toEqual({ ok: true, value: { head: HEAD, by: 'if-match' } });
    expect(namedHead({ ...HEAD }, ETAG)).toEqual({
      ok: true,
      value: { head: HEAD, by: 'if-match' },
    });
  });

  it('is required, and has one meaning', () => {
    expect(namedHead(undefined, null)).toMatchObject({ error: { code: 'head-required' } });
    for (const other of [
      { ...HEAD, revision: 2 },
      { ...HEAD, status: 'accepted' as const },
      { ...HEAD, termsHash: 'E'.repeat(43) as TermsHash },
    ]) {
      expect(namedHead(other, ETAG)).toMatchObject({ error: { code: 'request-invalid' } });
    }
  });

  it('makes a changed head a failed precondition where it came from If-Match', () => {
    const changed = { code: 'head-changed', head: HEAD } as const;
    expect(inTermsOf('if-match', changed)).toEqual({ code: 'precondition-failed', head: HEAD });
    expect(inTermsOf('body', changed)).toBe(changed);
    const ended = { code: 'interaction-ended', head: HEAD } as const;
    expect(inTermsOf('if-match', ended)).toBe(ended);
  });
});
