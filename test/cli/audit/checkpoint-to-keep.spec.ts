import { describe, expect, it } from '@jest/globals';
import { conclude, failure, gap, type Flaw } from '../../../src/audit/verify/check-result.js';
import { checkpointToKeep } from '../../../src/cli/audit/checkpoint-to-keep.js';
import { parseSignedCheckpoint, type SignedCheckpoint } from '../../../src/kernel/checkpoint.js';
import { logSigner, SignedLog } from './support/signed-log.js';

const log = SignedLog.of('a', 'b');
const parsed = parseSignedCheckpoint(log.note(logSigner(21))) as SignedCheckpoint;

/** What is kept where these flaws were found, and so many events failed. */
const kept = (ofNewest: Flaw | undefined, ofKept: Flaw | undefined, failed = 0, isWhole = true) => {
  const newest = { given: parsed, check: conclude('checkpoint', '5 entries', ofNewest) };
  return checkpointToKeep({
    isWhole,
    tree: [conclude('consistency', '5 entries', ofKept), newest.check],
    events: { counts: { verified: 9, failed, 'not-checkable': 1 } },
    newest,
    kept: parsed,
  });
};

describe('a checkpoint is kept', () => {
  it('when it and what was kept are verified, whatever of the events is not checkable', () => {
    expect(kept(undefined, undefined)).toEqual({ ok: true, value: parsed });
  });

  it.each([
    ['it is not checkable', kept(gap('checkpoint-unsigned'), undefined), 'not-verified'],
    ['what was kept is not checkable', kept(undefined, gap('log-unnamed')), 'not-verified'],
    ['it failed', kept(failure('root-mismatch'), undefined), 'something-failed'],
    ['what was kept failed', kept(undefined, failure('log-shorter')), 'something-failed'],
    ['the log was not read to its end', kept(undefined, undefined, 0, false), 'log-cut'],
    ['an event failed', kept(undefined, undefined, 1), 'something-failed'],
  ])('not when %s', (_, keeping, code) => {
    expect(keeping).toEqual({ ok: false, error: { code, size: 5 } });
  });
});
