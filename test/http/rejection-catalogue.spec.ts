import { describe, expect, it } from '@jest/globals';
import { REJECTION_STATUS, retryAfterSeconds } from '../../src/http/rejection-status.js';
import { WORDS } from '../../src/http/rejection-words.js';
import { REJECTIONS, type RejectionCode } from '../../src/kernel/rejection.js';

const CODES = Object.keys(REJECTIONS) as RejectionCode[];

describe('the catalogue of refusals', () => {
  it('has one entry in the HTTP table for each code, and no other', () => {
    expect(Object.keys(REJECTION_STATUS).sort()).toEqual([...CODES].sort());
  });

  it('documents each code in a sentence and writes codes in kebab case', () => {
    for (const code of CODES) {
      expect(code).toMatch(/^[a-z]+(-[a-z0-9]+)*$/);
      expect(REJECTIONS[code]).toMatch(/^\S.*\.$/);
      expect(REJECTIONS[code].length).toBeGreaterThan(15);
    }
  });

  it('leaves to each transport how large a body may be, and of which media type', () => {
    const own = CODES.filter((code) => WORDS[code] !== REJECTIONS[code]);
    expect(own).toEqual(['json-too-large', 'media-type-unsupported']);
    expect(WORDS['json-too-large']).toBe('The document is larger than 256 KiB.');
    for (const code of own) expect(REJECTIONS[code]).not.toMatch(/\d|application/);
  });

  it('uses only statuses of errors, with a title each', () => {
    for (const code of CODES) {
      const { status, title } = REJECTION_STATUS[code];
      expect(status).toBeGreaterThanOrEqual(400);
      expect(status).toBeLessThan(600);
      expect(title).toMatch(/^[A-Z][\w -]+$/);
    }
  });

  it('does not give two codes one title', () => {
    const titles = CODES.map((code) => REJECTION_STATUS[code].title);
    expect(new Set(titles).size).toBe(titles.length);
  });

  it('asks to retry exactly where the service was not able to judge, and may be soon', () => {
    for (const code of CODES) {
      const isUnavailable = (REJECTION_STATUS[code].status as number) === 503;
      const isPassing = isUnavailable && code !== 'log-inconsistent';
      expect([code, retryAfterSeconds(code) !== undefined]).toEqual([code, isPassing]);
    }
  });
});
