import { readdirSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { verifyBundle } from '../../../src/audit/verify/verify-bundle.js';
import { goldenBundle, logKey, trusting } from '../support/bundles.js';

const names = readdirSync(new URL('../../golden/interactions/', import.meta.url)).map((file) =>
  file.replace('.json', ''),
);

describe('what the domain wrote into its golden logs is verified from the events alone', () => {
  it.each(names)('%s', (name) => {
    const { result, checks, state } = verifyBundle(goldenBundle(name), trusting(logKey));
    const open = checks.filter((check) => check.result !== 'verified');
    const vouchedFor = open.filter(
      ({ reason }) => reason === 'method-without-signature' || reason === 'act-without-signature',
    );
    expect(open).toEqual(vouchedFor);
    expect(result).toBe(open.length === 0 ? 'verified' : 'not-checkable');
    expect(checks.length - open.length).toBeGreaterThan(30);
    expect(state).toBeDefined();
  });
});
