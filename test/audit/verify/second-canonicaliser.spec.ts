import { expect, it, jest } from '@jest/globals';
import canonicalize from 'canonicalize';

const MODULE = '../../../src/kernel/canonical-json.js';

/** The kernel's canonicaliser beside the library of RFC 8785's author: every text must be the same. */
it('every text that the verifier hashes is the one that a second canonicaliser writes', async () => {
  const { canonicalJson } = await import('../../../src/kernel/canonical-json.js');
  const texts = { compared: 0, bytes: 0 };
  // eslint-disable-next-line no-restricted-syntax -- no stand-in: the real part answers, and is compared
  jest.unstable_mockModule(MODULE, () => ({
    canonicalJson: (value: unknown): string => {
      const text = canonicalJson(value);
      const second = canonicalize(value);
      if (text !== second) throw new Error(`${text} is not ${String(second)}`);
      texts.compared += 1;
      texts.bytes += text.length;
      return text;
    },
  }));
  jest.resetModules();
  const { verifyBundle } = await import('../../../src/audit/verify/verify-bundle.js');
  const { goldenBundle, logKey, trusting } = await import('../support/bundles.js');
  const verify = (name: string) => verifyBundle(goldenBundle(name), trusting(logKey));

  const before = texts.compared;
  expect(verify('negotiated-amended-completed').result).toBe('verified');
  for (const name of ['rejected', 'withdrawn', 'expired-pending', 'expired-with-open-amendment']) {
    expect(verify(name).result).toBe('verified');
  }
  expect(verify('every-method-cancelled').result).toBe('not-checkable');
  expect(texts.compared - before).toBeGreaterThan(200);
  expect(texts.bytes).toBeGreaterThan(100_000);
});
