import { describe, expect, it } from '@jest/globals';
import { endingBy } from '../../../src/a2a/turns/turn-failures.js';

describe('a turn that may be sent again', () => {
  const direct = { failure: () => ({ said: true }) };
  const textOf = (...[why, how]: Parameters<typeof endingBy>) =>
    endingBy(why, how).parts?.[0]?.text;

  it.each(['voided', 'approval-void'] as const)('%s: under new ids, which stay its own', (why) => {
    expect(textOf(why, null)).toMatch(/nothing was run\. Send it again, with a new message id\.$/);
    // With the key of before the answer of before would come.
    expect(textOf(why, direct)).toMatch(
      /nothing was run\. Send it again, with a new message id and, if it has one, a new idempotency key\.$/,
    );
  });

  it.each(['approval-denied', 'approval-expired', 'timed-out', 'not-recorded'] as const)(
    '%s: nobody is told to',
    (why) => {
      expect(textOf(why, null)).not.toContain('again');
      expect(textOf(why, direct)).toBe(textOf(why, null));
    },
  );
});
