import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Authenticator } from '../../../src/http/authentication/authenticator.js';
import { remoteIssuerKeys } from '../../../src/http/authentication/issuer-keys.js';
import { TokenVerifier } from '../../../src/http/authentication/token-verifier.js';
import { RejectionException } from '../../../src/http/rejection-exception.js';
import type { RejectionCode } from '../../../src/kernel/rejection.js';
import { eventually } from '../../support/eventually.js';
import { OIDC_AUDIENCE, TestIssuer, type IssuerKey } from '../../support/issuer.js';

const MAX_AGE_MS = 30_000;

describe('the authenticator', () => {
  let issuer: TestIssuer;
  /** Milliseconds since the epoch, as the service's clock says. */
  let now: number;
  let faults: unknown[];

  beforeEach(async () => {
    issuer = await TestIssuer.start();
    now = Date.now();
    faults = [];
  });

  afterEach(async () => {
    await issuer.stop();
  });

  interface Settings {
    readonly jwksMaxAgeMs?: number;
    readonly cooldownMs?: number;
    readonly maxTokens?: number;
    readonly jwksUri?: string | null;
  }

  function authenticator(settings: Settings = {}): Authenticator {
    // A fault that comes when its test is over is no other test's.
    const told = faults;
    const keys = remoteIssuerKeys({
      issuer: issuer.url,
      jwksUri: settings.jwksUri === undefined ? issuer.jwksUri : settings.jwksUri,
      maxAgeMs: settings.jwksMaxAgeMs ?? 60_000,
      cooldownMs: settings.cooldownMs ?? 0,
      allowLoopbackHttp: true,
      clock: () => now,
      onFault: (fault) => told.push(fault),
    });
    const rules = {
      issuer: issuer.url,
      audience: OIDC_AUDIENCE,
      claims: { agent: 'agent', tenant: 'tenant' },
      leewaySeconds: 10,
    };
    const verifier = new TokenVerifier(rules, keys, () => now);
    const options = { maxTokens: settings.maxTokens ?? 100, maxAgeMs: MAX_AGE_MS };
    return new Authenticator(verifier, () => now, options);
  }

  async function codeOf(attempt: unknown): Promise<RejectionCode | 'accepted'> {
    try {
      await attempt;
      return 'accepted';
    } catch (error) {
      if (error instanceof RejectionException) return error.rejection.code;
      throw error;
    }
  }

  /** True when the answer needed no look at the token. */
  function isRemembered(of: Authenticator, token: string): boolean {
    const answer = of.authenticate(`Bearer ${token}`);
    if (!(answer instanceof Promise)) return true;
    answer.catch(() => undefined);
    return false;
  }

  it('remembers a verified token for its short time', async () => {
    const key = await issuer.addKey('EdDSA', 'k');
    const token = await key.sign(issuer.claims());
    const auth = authenticator();
    const caller = await auth.authenticate(`Bearer ${token}`);
    expect(caller).toMatchObject({ principal: 'operator', tenant: 'tenant' });
    now += MAX_AGE_MS - 1;
    expect(auth.authenticate(`Bearer ${token}`)).toBe(caller);
    now += 1;
    expect(isRemembered(auth, token)).toBe(false);
  });

  it('forgets a token at its expiry, leeway included', async () => {
    const key = await issuer.addKey('EdDSA', 'k');
    const exp = Math.floor(now / 1000) + 2;
    const token = await key.sign(issuer.claims({ exp }));
    const auth = authenticator();
    await auth.authenticate(`Bearer ${token}`);
    now = (exp + 10) * 1000 - 1;
    expect(isRemembered(auth, token)).toBe(true);
    now += 1;
    expect(await codeOf(auth.authenticate(`Bearer ${token}`))).toBe('token-invalid');
  });

  it('does not remember refused tokens, and a bounded number of good ones', async () => {
    const key = await issuer.addKey('EdDSA', 'k');
    const auth = authenticator({ maxTokens: 2 });
    const bad = await key.sign(issuer.claims({ aud: 'other' }));
    expect(await codeOf(auth.authenticate(`Bearer ${bad}`))).toBe('token-invalid');
    expect(isRemembered(auth, bad)).toBe(false);
    const tokens = await Promise.all(
      ['a', 'b', 'c'].map((sub) => key.sign(issuer.claims({ sub }))),
    );
    for (const token of tokens) await auth.authenticate(`Bearer ${token}`);
    expect(tokens.map((token) => isRemembered(auth, token))).toEqual([false, true, true]);
  });

  it('finds a new key of the issuer at the first token that names it', async () => {
    const old = await issuer.addKey('EdDSA', 'old');
    const auth = authenticator();
    await auth.authenticate(`Bearer ${await old.sign(issuer.claims())}`);
    const fresh = await issuer.addKey('ES256', 'new');
    expect(await codeOf(auth.authenticate(`Bearer ${await fresh.sign(issuer.claims())}`))).toBe(
      'accepted',
    );
    expect(issuer.fetches).toBe(2);
  });

  it('fetches no more often than the cooldown allows for unknown key ids', async () => {
    const key = await issuer.addKey('EdDSA', 'k');
    const auth = authenticator({ cooldownMs: 60_000 });
    await auth.authenticate(`Bearer ${await key.sign(issuer.claims())}`);
    for (let i = 0; i < 20; i++) {
      const stray = await key.sign(issuer.claims(), { kid: `unknown-${String(i)}` });
      expect(await codeOf(auth.authenticate(`Bearer ${stray}`))).toBe('token-invalid');
    }
    expect(issuer.fetches).toBe(1);
  });

  it('stops taking a key that the issuer has withdrawn, remembered tokens included', async () => {
    const key = await issuer.addKey('EdDSA', 'k');
    await issuer.addKey('EdDSA', 'other');
    const auth = authenticator({ jwksMaxAgeMs: 50 });
    const token = await key.sign(issuer.claims());
    await auth.authenticate(`Bearer ${token}`);
    issuer.published.shift();
    await delay(60);
    expect(await codeOf(auth.authenticate(`Bearer ${token}`))).toBe('accepted');
    now += MAX_AGE_MS;
    expect(await codeOf(auth.authenticate(`Bearer ${token}`))).toBe('token-invalid');
  });

  it.each([
    [{ status: 500, body: '{}' }],
    [{ status: 200, body: 'no json' }],
    [{ status: 200, body: '{"keys":7}' }],
    [{ status: 301, body: '{}' }],
  ])('waits for an issuer that answers %j', async (outage) => {
    const key = await issuer.addKey('EdDSA', 'k');
    const token = await key.sign(issuer.claims());
    const auth = authenticator();
    issuer.outage = outage;
    expect(await codeOf(auth.authenticate(`Bearer ${token}`))).toBe('issuer-unavailable');
    expect(await codeOf(auth.authenticate(`Bearer ${token}`))).toBe('issuer-unavailable');
    expect(faults).toHaveLength(1);
    issuer.outage = undefined;
    expect(await codeOf(auth.authenticate(`Bearer ${token}`))).toBe('accepted');
  });

  describe('without a configured key set', () => {
    it('asks the discovery document of the issuer', async () => {
      const key = await issuer.addKey('EdDSA', 'k');
      const auth = authenticator({ jwksUri: null });
      const tokens = await Promise.all(['a', 'b'].map((sub) => key.sign(issuer.claims({ sub }))));
      const answers = await Promise.all(
        tokens.map(async (token) => auth.authenticate(`Bearer ${token}`)),
      );
      expect(answers.map(({ principal }) => principal)).toEqual(['a', 'b']);
    });

    it('finds a key set that has moved within ten minutes', async () => {
      const moved = await TestIssuer.start();
      try {
        const [before, after] = [
          await issuer.addKey('EdDSA', 'before'),
          await moved.addKey('EdDSA', 'after'),
        ];
        const auth = authenticator({ jwksUri: null });
        const from = async (key: typeof after): Promise<string> =>
          codeOf(auth.authenticate(`Bearer ${await key.sign(issuer.claims())}`));
        expect(await from(before)).toBe('accepted');
        issuer.discovery = { issuer: issuer.url, jwks_uri: moved.jwksUri };
        now += 10 * 60_000 - 1;
        expect(await from(after)).toBe('token-invalid');
        now += 1;
        expect(await from(after)).toBe('accepted');
      } finally {
        await moved.stop();
      }
    });

    /** Of a token that this authenticator has not seen. */
    async function answerTo(auth: Authenticator, key: IssuerKey): Promise<string> {
      const token = await key.sign(issuer.claims({ jti: crypto.randomUUID() }));
      return codeOf(auth.authenticate(`Bearer ${token}`));
    }

    it.each(['refused', 'silent'] as const)(
      'goes on with the keys that it knows when the discovery is %s after ten minutes',
      async (outage) => {
        const key = await issuer.addKey('EdDSA', 'k');
        const auth = authenticator({ jwksUri: null, cooldownMs: 5_000 });
        expect(await answerTo(auth, key)).toBe('accepted');
        issuer.discoveryOutage = outage;
        now += 10 * 60_000;
        const begun = performance.now();
        for (let token = 0; token < 5; token++) expect(await answerTo(auth, key)).toBe('accepted');
        expect(performance.now() - begun).toBeLessThan(3_000);
        expect(issuer.discoveries).toBe(2);
      },
    );

    it('asks again after the cooldown where the discovery failed, and is told of it once', async () => {
      const key = await issuer.addKey('EdDSA', 'k');
      const auth = authenticator({ jwksUri: null, cooldownMs: 5_000 });
      await answerTo(auth, key);
      issuer.discoveryOutage = 'refused';
      now += 10 * 60_000;
      await answerTo(auth, key);
      await eventually(() => faults.length === 1);
      now += 4_999;
      await answerTo(auth, key);
      expect(issuer.discoveries).toBe(2);
      now += 1;
      await answerTo(auth, key);
      await eventually(() => issuer.discoveries === 3);
      const stranger = await issuer.addKey('EdDSA', 'unknown', false);
      expect(await answerTo(auth, stranger)).toBe('token-invalid');
      expect(faults).toHaveLength(1);
      issuer.discoveryOutage = undefined;
      now += 5_000;
      await answerTo(auth, key);
      await eventually(() => issuer.discoveries === 4);
      expect(await answerTo(auth, key)).toBe('accepted');
      now += 10 * 60_000 - 1;
      await answerTo(auth, key);
      expect(issuer.discoveries).toBe(4);
    });

    it('takes a key set up that moved while the discovery failed', async () => {
      const moved = await TestIssuer.start();
      try {
        const before = await issuer.addKey('EdDSA', 'before');
        const after = await moved.addKey('EdDSA', 'after');
        const auth = authenticator({ jwksUri: null, cooldownMs: 5_000 });
        expect(await answerTo(auth, before)).toBe('accepted');
        issuer.discoveryOutage = 'refused';
        now += 10 * 60_000;
        expect(await answerTo(auth, after)).toBe('token-invalid');
        issuer.discoveryOutage = undefined;
        issuer.discovery = { issuer: issuer.url, jwks_uri: moved.jwksUri };
        now += 5_000;
        expect(await answerTo(auth, after)).toBe('accepted');
        expect(await answerTo(auth, before)).toBe('token-invalid');
      } finally {
        await moved.stop();
      }
    });

    it('fetches nothing for each token while no key was ever read', async () => {
      const key = await issuer.addKey('EdDSA', 'k');
      const auth = authenticator({ jwksUri: null, cooldownMs: 5_000 });
      issuer.discoveryOutage = 'refused';
      for (let token = 0; token < 5; token++) {
        expect(await answerTo(auth, key)).toBe('issuer-unavailable');
      }
      expect([issuer.discoveries, faults.length]).toEqual([1, 1]);
      issuer.discoveryOutage = undefined;
      now += 5_000;
      expect(await answerTo(auth, key)).toBe('accepted');
    });

    it('asks at once when the clock was set back', async () => {
      const key = await issuer.addKey('EdDSA', 'k');
      const auth = authenticator({ jwksUri: null, cooldownMs: 5_000 });
      issuer.discoveryOutage = 'refused';
      now += 10 * 60_000;
      expect(await answerTo(auth, key)).toBe('issuer-unavailable');
      issuer.discoveryOutage = undefined;
      now -= 10 * 60_000;
      expect(await answerTo(auth, key)).toBe('accepted');
    });

    it.each<[string, (url: string) => object]>([
      [
        'of another issuer',
        (url) => ({ issuer: 'https://other.example', jwks_uri: `${url}/jwks` }),
      ],
      ['without a key set', (url) => ({ issuer: url })],
      [
        'with a key set over http elsewhere',
        (url) => ({ issuer: url, jwks_uri: 'http://example.com/jwks' }),
      ],
      ['with a key set that is no address', (url) => ({ issuer: url, jwks_uri: 'jwks' })],
    ])('does not believe a document %s', async (_name, discovery) => {
      const key = await issuer.addKey('EdDSA', 'k');
      issuer.discovery = discovery(issuer.url);
      const auth = authenticator({ jwksUri: null });
      const token = await key.sign(issuer.claims());
      expect(await codeOf(auth.authenticate(`Bearer ${token}`))).toBe('issuer-unavailable');
    });
  });
});
