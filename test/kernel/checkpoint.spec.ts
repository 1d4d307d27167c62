import { describe, expect, it } from '@jest/globals';
import {
  formatCheckpoint,
  parseCheckpoint,
  parseSignedCheckpoint,
} from '../../src/kernel/checkpoint.js';
import { BEHIND_THE_SOFA, PETER_NEUMANN } from './support/published-notes.js';

const ROOT = 'CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=';
const TEXT = `example.com/behind-the-sofa\n20852163\n${ROOT}\n`;

describe('checkpoints', () => {
  it('reads and writes the published one', () => {
    const checkpoint = parseCheckpoint(TEXT);
    expect(checkpoint).toMatchObject({ origin: 'example.com/behind-the-sofa', size: 20852163 });
    expect(checkpoint && formatCheckpoint(checkpoint)).toBe(TEXT);
    expect(parseSignedCheckpoint(BEHIND_THE_SOFA)?.checkpoint).toEqual(checkpoint);
  });

  it('tolerates extension lines', () => {
    expect(parseCheckpoint(`${TEXT}extension\nanother\n`)?.size).toBe(20852163);
  });

  it('reads the empty tree, and the largest that is counted exactly', () => {
    expect(parseCheckpoint(`log\n0\n${ROOT}\n`)?.size).toBe(0);
    const largest = String(Number.MAX_SAFE_INTEGER);
    expect(parseCheckpoint(`log\n${largest}\n${ROOT}\n`)?.size).toBe(Number.MAX_SAFE_INTEGER);
  });

  it.each([
    ['nothing', ''],
    ['two lines', 'log\n1\n'],
    ['no newline at the end', `log\n1\n${ROOT}`],
    ['an empty origin', `\n1\n${ROOT}\n`],
    ['an empty extension line', `log\n1\n${ROOT}\n\n`],
    ['an empty line within', `log\n1\n${ROOT}\n\nmore\n`],
    ['a leading zero', `log\n01\n${ROOT}\n`],
    ['a sign', `log\n+1\n${ROOT}\n`],
    ['a negative size', `log\n-1\n${ROOT}\n`],
    ['a fraction', `log\n1.0\n${ROOT}\n`],
    ['an exponent', `log\n1e3\n${ROOT}\n`],
    ['digits of another script', `log\n\u0661\n${ROOT}\n`],
    ['a size beyond exact integers', `log\n9007199254740992\n${ROOT}\n`],
    ['a short root', `log\n1\n${ROOT.slice(4)}\n`],
    ['a root without padding', `log\n1\n${ROOT.slice(0, -1)}\n`],
    ['a root with a space', `log\n1\n${ROOT} \n`],
  ])('refuses %s', (_, text) => {
    expect(parseCheckpoint(text)).toBeUndefined();
  });

  it('refuses a note whose text is none', () => {
    expect(parseSignedCheckpoint(PETER_NEUMANN.note)).toBeUndefined();
    expect(parseSignedCheckpoint(TEXT)).toBeUndefined();
  });
});
