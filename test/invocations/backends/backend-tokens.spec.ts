import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createLocalJWKSet, decodeProtectedHeader, jwtVerify, type JWTPayload } from 'jose';
import { Authenticator } from '../../../src/http/authentication/authenticator.js';
import { DEV_AUDIENCE, DEV_ISSUER } from '../../../src/http/authentication/dev-issuer.js';
import { remoteIssuerKeys } from '../../../src/http/authentication/issuer-keys.js';
import { TokenVerifier } from '../../../src/http/authentication/token-verifier.js';
import { BackendTokens } from '../../../src/invocations/backends/backend-tokens.js';
import { TestIssuer } from '../../support/issuer.js';
import { AUDIENCE, backendCall, caller, TERMS } from './support/calls.js';
import { ISSUER, TokenKeys } from './support/token-keys.js';

const NOW = Date.parse('2030-03-01T12:00:00.500Z');

let keys: TokenKeys;

beforeAll(async () => {
  keys = await TokenKeys.open('card', 'backend-token');
});

afterAll(() => keys.dispose());

async function tokenFor(call = backendCall(), audience = AUDIENCE): Promise<string> {
  const token = await keys.tokens(() => NOW).issue(call, audience);
  if (!token.ok) throw new Error(token.error.code);
  return token.value;
}

async function claimsOf(token: string): Promise<JWTPayload> {
  const set = createLocalJWKSet(await keys.jwks());
  return (await jwtVerify(token, set, { currentDate: new Date(NOW) })).payload;
}

describe('a token for a backend', () => {
  it('says who asks, who acts, for whom it is, with which rights and under which terms', async () => {
    const call = backendCall();
    expect(await claimsOf(await tokenFor(call))).toEqual({
      iss: ISSUER,
      sub: 'buyer',
      act: { sub: 'finance' },
      aud: AUDIENCE,
      client_id: 'buyer-client',
      tenant: 'buyers',
      scope: 'recon.run',
      interaction_id: TERMS.interactionId,
      terms_hash: TERMS.termsHash,
      invocation_id: call.invocationId,
      jti: expect.stringMatching(/^[\w-]{22}$/),
      iat: 1_898_596_800,
      exp: 1_898_596_860,
    });
  });

  it('has a type of its own, and names a key of its own purpose that is published', async () => {
    const token = await tokenFor();
    expect(decodeProtectedHeader(token)).toEqual({
      alg: 'EdDSA',
      typ: 'backend+jwt',
      kid: 'backend-token',
    });
    const { keys: published } = await keys.jwks();
    expect(published.map(({ kid }) => kid)).toEqual(['card', 'backend-token']);
  });

  it('is another one each time', async () => {
    const call = backendCall();
    const [one, other] = [
      await claimsOf(await tokenFor(call)),
      await claimsOf(await tokenFor(call)),
    ];
    expect(one.jti).not.toBe(other.jti);
  });

  it('names nobody for an anonymous caller, and no contract where none was needed', async () => {
    const claims = await claimsOf(
      await tokenFor(backendCall({ caller: null, scopes: [], terms: null })),
    );
    for (const missing of ['sub', 'client_id', 'tenant', 'interaction_id', 'terms_hash']) {
      expect(claims).not.toHaveProperty(missing);
    }
    expect(claims).toMatchObject({ scope: '', act: { sub: 'finance' } });
  });

  it('names no client that the caller’s token did not', async () => {
    const token = await tokenFor(backendCall({ caller: { ...caller(), client: null } }));
    expect(await claimsOf(token)).not.toHaveProperty('client_id');
  });

  it('is not made by a node without a key of the purpose', async () => {
    const others = await TokenKeys.open('card');
    const tokens: BackendTokens = others.tokens();
    expect(await tokens.issue(backendCall(), AUDIENCE)).toEqual({
      ok: false,
      error: { code: 'backend-token-key-unavailable' },
    });
    await others.dispose();
  });
});

describe('the service’s own API takes no such token', () => {
  /** Even where issuer, audience, key and claims would do. */
  it.each([
    ['the local issuer', DEV_ISSUER, DEV_AUDIENCE],
    ['an OpenID provider that is the service itself', ISSUER, ISSUER],
  ])('from %s', async (_, issuer, audience) => {
    const tokens = new BackendTokens(keys.keyring, issuer, Date.now, () => new Uint8Array(16));
    const token = await tokens.issue(backendCall(), audience);
    const set = createLocalJWKSet(await keys.jwks());
    const claims = { agent: 'agent', tenant: 'tenant' };
    const rules = { issuer, audience, claims, leewaySeconds: 0 };
    const verifier = new TokenVerifier(rules, set, Date.now);
    const authenticator = new Authenticator(verifier, Date.now, { maxTokens: 10, maxAgeMs: 1000 });
    const authorization = `Bearer ${token.ok ? token.value : ''}`;
    await expect(authenticator.authenticate(authorization)).rejects.toMatchObject({
      rejection: { code: 'token-invalid', detail: 'The JWT is not an access token.' },
    });
  });

  it('from an OpenID provider that publishes its key', async () => {
    const issuer = await TestIssuer.start();
    issuer.published.push(...(await keys.jwks()).keys);
    const tokens = new BackendTokens(keys.keyring, issuer.url, Date.now, () => new Uint8Array(16));
    const token = await tokens.issue(backendCall(), AUDIENCE);
    const remote = remoteIssuerKeys({
      issuer: issuer.url,
      jwksUri: issuer.jwksUri,
      maxAgeMs: 1000,
      cooldownMs: 0,
      allowLoopbackHttp: true,
      clock: Date.now,
      onFault: () => undefined,
    });
    const claims = { agent: 'agent', tenant: 'tenant' };
    const rules = { issuer: issuer.url, audience: AUDIENCE, claims, leewaySeconds: 0 };
    const verifying = new TokenVerifier(rules, remote, Date.now).verify(
      token.ok ? token.value : '',
    );
    await expect(verifying).rejects.toMatchObject({ rejection: { code: 'token-invalid' } });
    await issuer.stop();
  });
});
