import { createHmac, createPublicKey, sign as signBytes, generateKeyPairSync } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { OIDC_AUDIENCE, TestIssuer, type IssuerKey } from '../support/issuer.js';
import { logOf } from '../support/captured-log.js';
import { rawRequest, sendRaw } from '../support/raw-http.js';
import { startTestService, type Answer, type InProcessService } from '../support/service.js';

function b64u(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

const ALGORITHMS = [
  ...['EdDSA', 'Ed25519', 'ES256', 'ES384', 'ES512'],
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
];

type Changes = [name: string, changes: Record<string, unknown>];

/** One of each type of JSON that is no text. */
const NO_TEXTS = [null, true, 7, [], ['at+jwt'], {}, { at: 'jwt' }];

function changed(member: string, values: readonly unknown[]): Changes[] {
  return values.map((value) => [`${member} ${JSON.stringify(value)}`, { [member]: value }]);
}

/** Every claim that is read, of types that it cannot have. */
function claimsOfWrongTypes(): Changes[] {
  const noNumbers = [null, true, '9999999999', [9_999_999_999], {}];
  const noNames = NO_TEXTS.filter((value) => value !== null);
  return [
    ...['iss', 'sub', 'tenant'].flatMap((claim) => changed(claim, NO_TEXTS)),
    ...changed('aud', [...NO_TEXTS, [7], [[OIDC_AUDIENCE]], { 0: OIDC_AUDIENCE }]),
    ...['exp', 'nbf', 'iat'].flatMap((claim) => changed(claim, noNumbers)),
    // Null is none of them.
    ...['agent', 'client_id', 'azp'].flatMap((claim) => changed(claim, noNames)),
  ];
}

/** Every member of the header that is read, of types that it cannot have. */
function headersOfWrongTypes(): Changes[] {
  return [
    ...['typ', 'kid', 'alg'].flatMap((member) => changed(member, NO_TEXTS)),
    ...changed('crit', [null, true, 7, 'b64', [], [7], {}]),
  ];
}

describe('authentication with an OpenID issuer', () => {
  let issuer: TestIssuer;
  let service: InProcessService;
  let key: IssuerKey;
  const signers = new Map<string, IssuerKey>();
  const byHand = generateKeyPairSync('ed25519');

  beforeAll(async () => {
    issuer = await TestIssuer.start();
    issuer.published.push({ ...byHand.publicKey.export({ format: 'jwk' }), kid: 'by-hand' });
    key = await issuer.addKey('EdDSA', 'ed-1');
    for (const alg of ALGORITHMS) signers.set(alg, await issuer.addKey(alg, alg));
    service = await startTestService({
      env: { OIDC_ISSUER: issuer.url, OIDC_AUDIENCE, TOKEN_LEEWAY_SECONDS: '10' },
    });
  });

  afterAll(async () => {
    await service.dispose();
    await issuer.stop();
  });

  /** An operation that needs a valid token with a scope, and nothing else. */
  async function present(token: string): Promise<Answer> {
    return service.call('GET', '/health', { token });
  }

  function expectRefused(answer: Answer, code = 'token-invalid'): void {
    expect([answer.status, answer.body['code']]).toEqual([401, code]);
    const challenge = answer.headers.get('www-authenticate');
    if (code === 'token-invalid') expect(challenge).toMatch(/^Bearer error="invalid_token"/);
    else expect(challenge).toBe('Bearer');
  }

  it.each(ALGORITHMS)('takes a token signed with %s', async (alg) => {
    const signer = signers.get(alg);
    if (signer === undefined) throw new Error('no such key');
    expect((await present(await signer.sign(issuer.claims()))).status).toBe(200);
  });

  it('takes audiences, client, scopes and lists as issuers write them', async () => {
    for (const changes of [
      { aud: ['https://other.example', OIDC_AUDIENCE] },
      { scope: undefined, scp: ['unknown:scope', 'operator:read'] },
      { scope: undefined, scp: 'unknown:scope operator:read' },
      { client_id: 'client', azp: 'other' },
      { agent: 'did:web:agent.example' },
    ]) {
      expect((await present(await key.sign(issuer.claims(changes)))).status).toBe(200);
    }
    expect((await present(await key.sign(issuer.claims(), { typ: undefined }))).status).toBe(200);
    expect((await present(await key.sign(issuer.claims(), { typ: 'JWT' }))).status).toBe(200);
  });

  it('ignores scopes that it does not know', async () => {
    const answer = await present(
      await key.sign(issuer.claims({ scope: 'operator:read:all admin' })),
    );
    expect([answer.status, answer.body['code']]).toEqual([403, 'scope-missing']);
  });

  it.each([null, true, 7, {}, [], [7, null, ['operator:read']]])(
    'takes no right from scopes that are %j',
    async (scopes) => {
      for (const changes of [
        { scope: scopes, scp: undefined },
        { scope: undefined, scp: scopes },
      ]) {
        const answer = await present(await key.sign(issuer.claims(changes)));
        expect([answer.status, answer.body['code']]).toEqual([403, 'scope-missing']);
      }
    },
  );

  it('applies the leeway to the clock of the issuer, and no more', async () => {
    const now = Math.floor(Date.now() / 1000);
    expect((await present(await key.sign(issuer.claims({ exp: now - 5 })))).status).toBe(200);
    expect((await present(await key.sign(issuer.claims({ nbf: now + 5 })))).status).toBe(200);
    expectRefused(await present(await key.sign(issuer.claims({ exp: now - 15 }))));
    expectRefused(await present(await key.sign(issuer.claims({ nbf: now + 60 }))));
  });

  it.each<[string, Record<string, unknown>]>([
    ['another audience', { aud: 'https://other.example' }],
    ['no audience', { aud: undefined }],
    ['another issuer', { iss: 'https://issuer.example' }],
    ['the issuer with a slash', { iss: 'SLASH' }],
    ['no issuer', { iss: undefined }],
    ['no expiry', { exp: undefined }],
    ['an expiry that is a text', { exp: '9999999999' }],
    ['no subject', { sub: undefined }],
    ['an empty subject', { sub: '' }],
    ['an endless subject', { sub: 'x'.repeat(256) }],
    ['a subject with half a surrogate pair', { sub: '\ud800' }],
    ['no tenant', { tenant: undefined }],
    ['a tenant that is no text', { tenant: 7 }],
    ['an agent that is no agent id', { agent: '../agent' }],
    ['an agent that is a list', { agent: ['a'] }],
    ['a client that is no text', { client_id: {} }],
    ['a key that the bearer does not prove', { cnf: { jkt: 'x' } }],
    ['null for such a key', { cnf: null }],
    ...claimsOfWrongTypes(),
  ])('refuses a token with %s', async (_name, changes) => {
    const claims = issuer.claims(changes['iss'] === 'SLASH' ? { iss: `${issuer.url}/` } : changes);
    expectRefused(await present(await key.sign(claims)));
  });

  it.each<[string, Record<string, unknown>]>([
    ['another type of JWT', { typ: 'logout+jwt' }],
    ['a DPoP proof', { typ: 'dpop+jwt' }],
    ['an unknown critical extension', { crit: ['x'], x: 1 }],
    ['a payload that is not encoded', { crit: ['b64'], b64: false }],
    ...headersOfWrongTypes(),
  ])('refuses %s, well signed as it is', async (_name, header) => {
    // Put together by hand, because jose does not sign all of these.
    const compose = (changes: object): string => {
      const protectedHeader = { alg: 'EdDSA', kid: 'by-hand', typ: 'at+jwt', ...changes };
      const signed = `${b64u(protectedHeader)}.${b64u(issuer.claims())}`;
      const signature = signBytes(null, Buffer.from(signed), byHand.privateKey);
      return `${signed}.${signature.toString('base64url')}`;
    };
    expect((await present(compose({}))).status).toBe(200);
    expectRefused(await present(compose(header)));
  });

  describe('forged signatures', () => {
    it.each(['none', 'None', 'NONE', 'nOnE'])('refuses alg %s', async (alg) => {
      const unsigned = `${b64u({ alg, kid: 'ed-1', typ: 'at+jwt' })}.${b64u(issuer.claims())}`;
      expectRefused(await present(`${unsigned}.`));
      expectRefused(await present(`${unsigned}.AA`));
    });

    it.each(['HS256', 'HS384', 'HS512'])(
      'refuses %s with the public key as its secret',
      async (alg) => {
        const jwk = key.publicJwk;
        const object = createPublicKey({ key: jwk as Record<string, string>, format: 'jwk' });
        const secrets = [
          Buffer.from(jwk.x ?? '', 'base64url'),
          Buffer.from(jwk.x ?? ''),
          Buffer.from(JSON.stringify(jwk)),
          Buffer.from(object.export({ type: 'spki', format: 'pem' })),
          object.export({ type: 'spki', format: 'der' }),
        ];
        const signed = `${b64u({ alg, kid: 'ed-1', typ: 'at+jwt' })}.${b64u(issuer.claims())}`;
        for (const secret of secrets) {
          const mac = createHmac(alg.replace('HS', 'sha'), secret)
            .update(signed)
            .digest('base64url');
          expectRefused(await present(`${signed}.${mac}`));
        }
      },
    );

    it('refuses the signature of a key that is not published', async () => {
      const stranger = await issuer.addKey('EdDSA', 'ed-1', false);
      expectRefused(await present(await stranger.sign(issuer.claims())));
      const unknown = await issuer.addKey('EdDSA', 'unknown', false);
      expectRefused(await present(await unknown.sign(issuer.claims())));
    });

    it('does not take a key, or the address of one, from the token', async () => {
      const stranger = await issuer.addKey('EdDSA', 'stranger', false);
      const other = await TestIssuer.start();
      other.published.push(stranger.publicJwk);
      for (const header of [
        { jwk: stranger.publicJwk },
        { jku: other.jwksUri },
        { x5u: other.url },
      ]) {
        expectRefused(await present(await stranger.sign(issuer.claims(), header)));
      }
      expect(other.fetches).toBe(0);
      await other.stop();
    });

    it('refuses a token of which one character was changed', async () => {
      const token = await key.sign(issuer.claims());
      const [header = '', , signature = ''] = token.split('.');
      const payload = b64u(issuer.claims({ sub: 'somebody else' }));
      expectRefused(await present(`${header}.${payload}.${signature}`));
      expectRefused(await present(`${token.slice(0, -4)}AAAA`));
      expectRefused(await present(token.slice(0, -1)));
      expectRefused(await present(`${token}.x`));
    });

    it('refuses a token that names another algorithm than its key', async () => {
      const rsa = await issuer.addKey('RS256', 'rsa', false);
      expectRefused(await present(await rsa.sign(issuer.claims(), { kid: 'ed-1' })));
    });
  });

  describe('where the token is', () => {
    async function withAuthorization(
      value: string | undefined,
      target = '/health',
    ): Promise<Answer> {
      return service.call('GET', target, {
        headers: value === undefined ? {} : { authorization: value },
      });
    }

    it('looks nowhere but in the Authorization header', async () => {
      const token = await key.sign(issuer.claims());
      expectRefused(await withAuthorization(undefined), 'token-missing');
      expectRefused(
        await withAuthorization(undefined, `/health?access_token=${token}`),
        'token-missing',
      );
      expectRefused(
        await service.call('GET', '/health', { headers: { cookie: `access_token=${token}` } }),
        'token-missing',
      );
    });

    it('takes only one well-formed bearer credential', async () => {
      const token = await key.sign(issuer.claims());
      expectRefused(await withAuthorization('Basic b3duZXI6c2VjcmV0'), 'token-missing');
      for (const value of [
        'Bearer',
        'Bearer a b',
        `Bearer ${token} ${token}`,
        `Bearer ${token},`,
      ]) {
        expectRefused(await withAuthorization(value));
      }
      expect((await withAuthorization(`bearer ${token}`)).status).toBe(200);
    });

    it('does not read a token of 9 KiB', async () => {
      const token = await key.sign(issuer.claims({ padding: 'x'.repeat(9 * 1024) }));
      expectRefused(await present(token));
    });

    it('does not even parse a header of 20 KiB', async () => {
      const lines = [`authorization: Bearer ${'x'.repeat(20_000)}`];
      const answer = await sendRaw(service.url, rawRequest('GET', '/health', lines));
      expect([answer.status, JSON.parse(answer.body)]).toMatchObject([
        431,
        { code: 'headers-too-large' },
      ]);
    });
  });

  it('goes on with the keys that it knows when the discovery fails ten minutes later', async () => {
    const realNow = Date.now;
    let ahead = 0;
    Date.now = () => realNow() + ahead;
    const flaky = await TestIssuer.start();
    const signer = await flaky.addKey('EdDSA', 'k');
    const node = await startTestService({ env: { OIDC_ISSUER: flaky.url, OIDC_AUDIENCE } });
    const statusOf = async (jti: string): Promise<number> => {
      const token = await signer.sign(flaky.claims({ jti }));
      return (await node.call('GET', '/health', { token })).status;
    };
    try {
      expect(await statusOf('first')).toBe(200);
      flaky.discoveryOutage = 'silent';
      ahead = 10 * 60_000;
      const begun = performance.now();
      expect([await statusOf('second'), await statusOf('third')]).toEqual([200, 200]);
      expect(performance.now() - begun).toBeLessThan(4_000);
      expect(flaky.discoveries).toBe(2);
    } finally {
      await node.dispose();
      await flaky.stop();
      Date.now = realNow;
    }
  });

  it('blames the issuer, not the token, when its keys cannot be read', async () => {
    const closed = await TestIssuer.start();
    const signer = await closed.addKey('EdDSA', 'k');
    const token = await signer.sign(closed.claims());
    const lost = await startTestService({ env: { OIDC_ISSUER: closed.url, OIDC_AUDIENCE } });
    await closed.stop();
    const log = await logOf(async () => {
      const answer = await lost.call('GET', '/health', { token });
      expect([answer.status, answer.body['code']]).toEqual([503, 'issuer-unavailable']);
      expect(answer.headers.get('retry-after')).toBe('1');
      expect(answer.headers.get('www-authenticate')).toBeNull();
      expect(answer.text).not.toMatch(/ECONNREFUSED|fetch|127\.0\.0\.1/);
    }).finally(() => lost.dispose());
    expect(log.join()).toContain('issuer-keys');
  });
});

describe('authentication with the local issuer', () => {
  let service: InProcessService;

  beforeAll(async () => {
    service = await startTestService();
  });

  afterAll(async () => {
    await service.dispose();
  });

  it('takes its own tokens, also after a restart', async () => {
    const token = await service.token({ scopes: ['operator:read'] });
    expect((await service.call('GET', '/health', { token })).status).toBe(200);
    await service.restart();
    expect((await service.call('GET', '/health', { token })).status).toBe(200);
  });

  it('does not take the tokens of another data folder', async () => {
    const other = await startTestService();
    const token = await other.token({ scopes: ['operator:read'] });
    await other.dispose();
    expect((await service.call('GET', '/health', { token })).status).toBe(401);
  });

  it('does not take expired ones', async () => {
    const token = await service.token({ scopes: ['operator:read'], lifetimeSeconds: -60 });
    expect((await service.call('GET', '/health', { token })).status).toBe(401);
  });

  it('has no way to mint over HTTP', () => {
    const routes = service.running.routes.map(({ url }) => url).join('\n');
    expect(routes).not.toMatch(/token|mint|issuer|oauth/);
  });
});
