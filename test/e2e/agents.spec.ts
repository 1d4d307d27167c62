import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { testKey } from '../agents/support/agents.js';
import { HOSTILE_POINTS } from '../agents/domain/hostile-keys.js';
import {
  ADMIN,
  OWN_ENDPOINT,
  RestAgent,
  keyMember,
  now,
  signedBody,
} from '../agents/support/rest-agent.js';
import { otherSpellings } from '../agents/support/spellings.js';
import { startTestService, type Answer, type InProcessService } from '../support/service.js';

const k1 = testKey('k1', 1);
const k2 = testKey('k2', 2);

let service: InProcessService;
let token: string;
let count = 0;

beforeAll(async () => {
  service = await startTestService();
  token = await service.token();
});

afterAll(async () => {
  await service.dispose();
});

const fresh = (): RestAgent => new RestAgent(service, `agent-${String(++count)}`);
const codeOf = ({ status, body }: Answer): unknown => [status, body['code']];

async function registered(...keys: readonly (typeof k1)[]): Promise<RestAgent> {
  const agent = fresh();
  const answer = await agent.register(keys, { clients: ['client-a'] });
  if (answer.status !== 201) throw new Error(answer.text);
  return agent;
}

describe('registration', () => {
  it('answers 201 with the agent, its address, its ETag and a position', async () => {
    const agent = fresh();
    const answer = await agent.register([k1], { clients: ['client-a'] });
    expect(answer.status).toBe(201);
    expect(answer.headers.get('location')).toBe(agent.path);
    expect(answer.headers.get('etag')).toBe('"0"');
    expect(answer.headers.get('position-token')).toMatch(/^\d{20,40}$/);
    expect(answer.headers.get('idempotency-replayed')).toBeNull();
    expect(answer.body).toEqual({
      agentId: agent.agentId,
      tenant: 'tenant',
      status: 'active',
      revision: 0,
      methods: ['ed25519'],
      transport: { ...OWN_ENDPOINT, managedBy: 'agent' },
      keys: [
        { keyId: 'k1', jwk: k1.jwk, from: answer.body['registeredAt'], until: null, revoked: null },
      ],
      registeredAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      updatedAt: answer.body['registeredAt'],
      retiredAt: null,
      owner: 'owner',
      clients: ['client-a'],
      policy: null,
    });
    expect((await agent.get()).body).toEqual(answer.body);
  });

  it.each(['constructor', 'toString', 'valueOf', 'hasOwnProperty', 'did:web:alpha.example~1'])(
    'takes the id %s as any other',
    async (id) => {
      const agent = new RestAgent(service, id);
      expect((await agent.get()).body['code']).toBe('agent-not-found');
      expect(
        (await agent.register([{ ...k1, keyId: 'constructor' as typeof k1.keyId }])).status,
      ).toBe(201);
      expect((await agent.get()).body['agentId']).toBe(id);
      expect((await agent.get('/keys')).body['keys']).toHaveLength(1);
    },
  );

  it.each(['', 'a/b', '-a', 'ä', '__proto__', 'a b', 'a'.repeat(129), 'a\n'])(
    'refuses the id %j',
    async (id) => {
      expect(codeOf(await new RestAgent(service, id).register([]))).toEqual([
        422,
        'agent-id-invalid',
      ]);
    },
  );

  it('says no more of a taken id to a stranger than to its owner', async () => {
    const agent = await registered(k1);
    const mine = await agent.register([k2]);
    const stranger = await service.token({ principal: 'mallory', tenant: 'elsewhere' });
    const theirs = await agent.register([k2], {}, stranger);
    expect(codeOf(mine)).toEqual([409, 'agent-exists']);
    expect({ ...theirs.body, correlationId: '' }).toEqual({ ...mine.body, correlationId: '' });
  });

  it('is for tokens with a scope of the agents, and as oneself', async () => {
    const agent = fresh();
    const as = async (options: object): Promise<unknown> =>
      codeOf(await agent.register([], {}, await service.token(options)));
    expect(codeOf(await service.call('POST', '/v1/agents', { body: {} }))).toEqual([
      401,
      'token-missing',
    ]);
    expect(await as({ scopes: ['interactions:write'] })).toEqual([403, 'scope-missing']);
    expect(await as({ agent: 'agent-other' })).toEqual([403, 'not-acting-agent']);
    const named = await agent.register([], { owner: 'somebody' });
    expect(codeOf(named)).toEqual([403, 'scope-missing']);
    const byAdmin = await agent.register([], { owner: 'somebody' }, await service.token(ADMIN));
    expect([byAdmin.status, byAdmin.body['owner']]).toEqual([201, 'somebody']);
  });

  it('gives a hosted agent an endpoint of this deployment', async () => {
    const agent = fresh();
    const answer = await agent.register([], { transport: undefined, hosted: true });
    expect(answer.body['transport']).toEqual({
      protocol: 'A2A/1.0',
      protocolBinding: 'JSONRPC',
      endpoint: `${service.audience}/a2a/${agent.agentId}`,
      managedBy: 'openclasp',
    });
  });

  it('case 1: refuses a key that would verify anything', async () => {
    const value = Buffer.concat([Buffer.from([1]), Buffer.alloc(63)]).toString('base64url');
    for (const { name, x } of HOSTILE_POINTS) {
      const agent = fresh();
      const key = { keyId: 'k1', jwk: { ...k1.jwk, x }, proof: { signedAt: now(), value } };
      const answer = await agent.register([], { keys: [key] });
      expect([name, ...(codeOf(answer) as unknown[])]).toEqual([name, 422, 'key-unsafe-point']);
      expect(answer.body['errors']).toMatchObject([{ pointer: '/keys/0' }]);
      expect((await agent.get()).status).toBe(404);
    }
  });

  const jwkPrivate = { ...k1.jwk, d: 'AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE' };
  const bad: readonly [string, (agent: RestAgent) => object, string][] = [
    ['an unknown member', () => ({ extra: 1 }), '/extra'],
    ['a member named like a prototype’s', () => ({ constructor: {} }), '/constructor'],
    ['no transport', () => ({ transport: undefined }), '/transport'],
    ['a key without a proof', () => ({ keys: [{ keyId: 'k1', jwk: k1.jwk }] }), '/keys/0/proof'],
    [
      'a moment with more digits than a nanosecond',
      () => {
        const signedAt = now().replace('Z', '0000000Z');
        return { keys: [{ keyId: 'k1', jwk: k1.jwk, proof: { signedAt, value: 'A' } }] };
      },
      '/keys/0/proof/signedAt',
    ],
    ['two transports', () => ({ hosted: true }), '/transport'],
    ['hosted: false', () => ({ transport: undefined, hosted: false }), '/hosted'],
    [
      'an endpoint with a password',
      () => ({ transport: { ...OWN_ENDPOINT, endpoint: 'https://a:b@alpha.example/' } }),
      '/transport/endpoint',
    ],
    [
      'an endpoint that claims to be managed here',
      () => ({ transport: { ...OWN_ENDPOINT, managedBy: 'openclasp' } }),
      '/transport/managedBy',
    ],
    [
      'another protocol',
      () => ({ transport: { ...OWN_ENDPOINT, protocol: 'A2A/0.3' } }),
      '/transport/protocol',
    ],
    ['an unknown method', () => ({ methods: ['password'] }), '/methods'],
    ['no list of methods', () => ({ methods: 'ed25519' }), '/methods'],
    ['a client twice', () => ({ clients: ['a', 'a'] }), '/clients'],
    ['an empty client', () => ({ clients: [''] }), '/clients'],
    ['null for clients', () => ({ clients: null }), '/clients'],
    ['null for the owner', () => ({ owner: null }), '/owner'],
    [
      'a private key',
      ({ agentId }) => ({ keys: [{ ...keyMember(k1, agentId, service), jwk: jwkPrivate }] }),
      '/keys/0/jwk/d',
    ],
    [
      'a key in two forms',
      ({ agentId }) => ({ keys: [{ ...keyMember(k1, agentId, service), spki: k1.spki }] }),
      '/keys/0',
    ],
    [
      'a key in no form',
      ({ agentId }) => ({ keys: [{ ...keyMember(k1, agentId, service), jwk: undefined }] }),
      '/keys/0',
    ],
    [
      'a proof of a day that is none',
      () => ({
        keys: [
          { keyId: 'k', jwk: k1.jwk, proof: { signedAt: '2030-02-30T00:00:00Z', value: 'x' } },
        ],
      }),
      '/keys/0/proof/signedAt',
    ],
    ['keys that are none', () => ({ keys: [7] }), '/keys/0'],
  ];
  it.each(bad)('refuses %s and points at it', async (_, more, pointer) => {
    const agent = fresh();
    const answer = await agent.register([], more(agent));
    expect(codeOf(answer)).toEqual([400, 'request-invalid']);
    expect((answer.body['errors'] as { pointer: string }[]).map((e) => e.pointer)).toEqual([
      pointer,
    ]);
    expect((await agent.get()).status).toBe(404);
  });

  it('refuses a request without a body, and one that is no object', async () => {
    expect(codeOf(await service.call('POST', '/v1/agents', { token }))).toEqual([
      400,
      'request-invalid',
    ]);
    for (const body of [null, [], 'x', 7]) {
      expect(codeOf(await service.call('POST', '/v1/agents', { token, body }))).toEqual([
        400,
        'request-invalid',
      ]);
    }
  });

  it('refuses more than one spelling of a proof', async () => {
    const agent = fresh();
    const key = keyMember(k1, agent.agentId, service) as {
      proof: { signedAt: string; value: string };
    };
    for (const { text } of otherSpellings(key.proof.value)) {
      const proof = { ...key.proof, value: text };
      const answer = await agent.register([], { keys: [{ ...key, proof }] });
      expect(codeOf(answer)).toEqual([422, 'key-proof-invalid']);
    }
    expect((await agent.register([], { keys: [key] })).status).toBe(201);
  });

  it.each(['"agentId": "a", "agentId": "b"', '"agentId": "a", "agent\\u0049d": "b"'])(
    'refuses a body with two meanings: %s',
    async (members) => {
      const response = await fetch(`${service.url}/v1/agents`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: `{${members}, "hosted": true}`,
      });
      expect([response.status, ((await response.json()) as Answer['body'])['code']]).toEqual([
        400,
        'json-duplicate-name',
      ]);
    },
  );
});

describe('reading the directory', () => {
  it('shows strangers what counterparties need and nothing else', async () => {
    const agent = await registered(k1);
    const mine = (await agent.get()).body;
    const theirs = (await agent.get('', { principal: 'x', tenant: 'elsewhere', scopes: [] })).body;
    const { owner, clients, policy, ...open } = mine;
    expect([owner, clients, policy]).toEqual(['owner', ['client-a'], null]);
    expect(theirs).toEqual(open);
    expect(codeOf(await service.call('GET', agent.path))).toEqual([401, 'token-missing']);
  });

  it('answers 304 to whoever has the agent as it is', async () => {
    const agent = await registered(k1);
    const headers = { 'if-none-match': '"0"' };
    const same = await service.call('GET', agent.path, { token, headers });
    expect([same.status, same.text, same.headers.get('etag')]).toEqual([304, '', '"0"']);
    expect(same.headers.get('vary')).toMatch(/authorization/);
    const body = { change: 'change-clients', expectedRevision: 0, clients: [] };
    expect((await agent.change('PUT', '/clients', body, k1)).status).toBe(200);
    const changed = await service.call('GET', agent.path, { token, headers });
    expect([changed.status, changed.headers.get('etag')]).toEqual([200, '"1"']);
  });

  it.each(['unknown', 'a%2Fb', '%20', '..%2f', 'a'.repeat(200)])(
    'knows no agent %s',
    async (id) => {
      const answer = await service.call('GET', `/v1/agents/${id}`, { token });
      expect(codeOf(answer)).toEqual([404, 'agent-not-found']);
    },
  );

  it('lists pages in which nothing is skipped or repeated while agents come and change', async () => {
    const tenant = 'paging';
    const other = await service.token({ tenant });
    const agents = Array.from(
      { length: 60 },
      (_, i) => new RestAgent(service, `paging-${String(i).padStart(2, '0')}`),
    );
    await Promise.all(agents.map((agent) => agent.register([], {}, other)));
    const head = await agents[0]!.register([], {}, other);
    expect(head.headers.get('idempotency-replayed')).toBe('true');

    const seen: unknown[] = [];
    let cursor = '';
    let position = (await new RestAgent(service, 'paging-99').register([], {}, other)).headers.get(
      'position-token',
    )!;
    for (let page = 0; ; page++) {
      const answer = await service.call(
        'GET',
        `/v1/agents?tenant=${tenant}&limit=7${cursor && `&cursor=${cursor}`}`,
        { token: other, headers: { 'position-token': position } },
      );
      expect(answer.status).toBe(200);
      const items = answer.body['items'] as { agentId: string; reliable: boolean }[];
      expect(items.every(({ reliable }) => reliable)).toBe(true);
      seen.push(...items.map(({ agentId }) => agentId));
      // Between pages the row of the cursor changes, and one more agent sorts before it.
      const last = new RestAgent(service, items.at(-1)!.agentId);
      const changed = await last.change(
        'POST',
        '/retirement',
        { change: 'retire', expectedRevision: 0 },
        undefined,
        { tenant },
      );
      expect(changed.status).toBe(200);
      await new RestAgent(service, `paging-0-${String(page)}`).register([], {}, other);
      position = changed.headers.get('position-token')!;
      if (answer.body['nextCursor'] === null) break;
      cursor = answer.body['nextCursor'] as string;
    }
    expect(seen).toEqual([...agents.map(({ agentId }) => agentId), 'paging-99']);
  });

  it('filters by tenant, owner, hosting and status, and ends a foreign cursor', async () => {
    const tenant = 'filters';
    const admin = await service.token({ tenant, ...ADMIN });
    const make = async (id: string, more: object): Promise<Answer> =>
      new RestAgent(service, id).register([], more, admin);
    await make('filter-a', { owner: 'ann' });
    await make('filter-b', { owner: 'bob', transport: undefined, hosted: true });
    await make('filter-c', { owner: 'ann' });
    const retire = { change: 'retire', expectedRevision: 0 };
    const retired = await new RestAgent(service, 'filter-c').change(
      'POST',
      '/retirement',
      retire,
      undefined,
      { tenant, ...ADMIN },
    );
    const headers = { 'position-token': retired.headers.get('position-token')! };
    const list = async (query: string, as = admin): Promise<unknown> => {
      const answer = await service.call('GET', `/v1/agents?${query}`, { token: as, headers });
      const items = answer.body['items'] as { agentId: string }[] | undefined;
      return items?.map(({ agentId }) => agentId) ?? answer.body['code'];
    };
    expect(await list('tenant=filters')).toEqual(['filter-a', 'filter-b', 'filter-c']);
    expect(await list('tenant=filters&owner=ann')).toEqual(['filter-a', 'filter-c']);
    expect(await list('owner=ann&status=active')).toEqual(['filter-a']);
    expect(await list('tenant=filters&hosted=true')).toEqual(['filter-b']);
    expect(await list('tenant=filters&hosted=false&status=retired')).toEqual(['filter-c']);
    expect(await list('tenant=nobody')).toEqual([]);
    // Who owns what is not told across tenants, not even by a filter.
    expect(await list('tenant=filters&owner=ann', token)).toEqual([]);

    const first = await service.call('GET', '/v1/agents?tenant=filters&limit=1', {
      token: admin,
      headers,
    });
    const cursor = first.body['nextCursor'] as string;
    expect(await list(`tenant=filters&limit=1&cursor=${cursor}`)).toEqual(['filter-b']);
    expect(await list(`hosted=true&cursor=${cursor}`)).toBe('cursor-invalid');
    for (const query of ['limit=0', 'limit=101', 'limit=1e1', 'status=gone', 'hosted=1', 'x=1']) {
      expect(await list(query)).toBe('request-invalid');
    }
    expect(await list('tenant=a&tenant=b')).toBe('request-invalid');
  });

  it('waits for a position that it has not reached, and then says so', async () => {
    const headers = { 'position-token': '9'.repeat(20) };
    const answer = await service.call('GET', '/v1/agents', { token, headers });
    expect(codeOf(answer)).toEqual([503, 'projection-behind']);
    expect(answer.headers.get('retry-after')).toBe('1');
  });
});

describe('changing an agent', () => {
  const clients = (expectedRevision: number, ...names: readonly string[]): object => ({
    change: 'change-clients',
    expectedRevision,
    clients: names,
  });

  it('with keys takes a signature over the whole body', async () => {
    const agent = await registered(k1);
    expect(codeOf(await agent.change('PUT', '/clients', clients(0, 'x')))).toEqual([
      403,
      'change-signature-required',
    ]);
    const answer = await agent.change('PUT', '/clients', clients(0, 'x'), k1);
    expect([answer.status, answer.body['revision'], answer.headers.get('etag')]).toEqual([
      200,
      1,
      '"1"',
    ]);
    // Members are signed by what they say, in any order.
    const { signature, ...rest } = signedBody(clients(1, 'y'), agent.agentId, k1, service) as {
      signature: object;
    };
    const turned = Object.fromEntries(Object.entries({ signature, ...rest }).reverse());
    expect((await agent.change('PUT', '/clients', turned)).body['clients']).toEqual(['y']);
  });

  it('with a stolen token and no key changes nothing', async () => {
    const agent = await registered(k1, k2);
    const thief = testKey('k1', 66);
    const before = (await agent.get()).body;
    const thefts: readonly [string, 'POST' | 'PUT', object][] = [
      [
        '/keys',
        'POST',
        {
          change: 'add-key',
          expectedRevision: 0,
          key: keyMember(testKey('k9', 66), agent.agentId, service),
        },
      ],
      ['/keys/k1/revocation', 'POST', { change: 'revoke-key', expectedRevision: 0, keyId: 'k1' }],
      [
        '/methods',
        'PUT',
        { change: 'change-methods', expectedRevision: 0, methods: ['oauth_account'] },
      ],
      [
        '/policy',
        'PUT',
        {
          change: 'change-policy',
          expectedRevision: 0,
          policy: { taskCategories: ['t'], allowedActions: ['a'], maxRetentionDays: 1 },
        },
      ],
      ['/clients', 'PUT', clients(0, 'mallory')],
      ['/transport', 'PUT', { change: 'change-transport', expectedRevision: 0, hosted: true }],
      ['/retirement', 'POST', { change: 'retire', expectedRevision: 0 }],
    ];
    const tokens = [
      {},
      { agent: agent.agentId },
      { principal: 'x', client: 'client-a' },
      { principal: 'admin', ...ADMIN },
    ];
    for (const [path, method, body] of thefts) {
      for (const options of tokens) {
        const unsigned = await agent.change(method, path, body, undefined, options);
        expect(codeOf(unsigned)).toEqual([403, 'change-signature-required']);
        const forged = await agent.change(method, path, body, thief, options);
        expect(codeOf(forged)).toEqual([422, 'signature-invalid']);
      }
    }
    expect((await agent.get()).body).toEqual(before);
  });

  it('without keys is its owner’s or an administrator’s, never its client’s', async () => {
    const agent = await registered();
    const as = async (options: object): Promise<unknown> =>
      codeOf(await agent.change('PUT', '/clients', clients(0, 'x'), undefined, options));
    expect(await as({ principal: 'x', client: 'client-a' })).toEqual([403, 'not-acting-agent']);
    expect(await as({ principal: 'x', agent: agent.agentId })).toEqual([403, 'not-acting-agent']);
    expect(await as({ tenant: 'elsewhere', ...ADMIN })).toEqual([403, 'not-acting-agent']);
    expect(await as({ scopes: ['interactions:write'] })).toEqual([403, 'scope-missing']);
    expect((await agent.change('PUT', '/clients', clients(0, 'x'))).status).toBe(200);
  });

  it('takes the first key, and from then on its signature', async () => {
    const agent = await registered();
    const add = (revision: number, key: typeof k1): object => ({
      change: 'add-key',
      expectedRevision: revision,
      key: keyMember(key, agent.agentId, service),
    });
    const first = await agent.change('POST', '/keys', add(0, k1));
    expect([first.status, first.body['methods'], first.body['revision']]).toEqual([
      200,
      ['ed25519'],
      2,
    ]);
    expect(codeOf(await agent.change('POST', '/keys', add(2, k2)))).toEqual([
      403,
      'change-signature-required',
    ]);
    expect((await agent.change('POST', '/keys', add(2, k2), k1)).status).toBe(200);
  });

  it('rotates and revokes keys and keeps their history', async () => {
    const agent = await registered(k1);
    const rotation = {
      change: 'add-key',
      expectedRevision: 0,
      key: keyMember(k2, agent.agentId, service),
      replaces: 'k1',
    };
    expect((await agent.change('POST', '/keys', rotation, k1)).status).toBe(200);
    const late = await agent.change('PUT', '/clients', clients(1, 'x'), k1);
    expect(codeOf(late)).toEqual([422, 'key-not-valid']);
    const revocation = {
      change: 'revoke-key',
      expectedRevision: 1,
      keyId: 'k2',
      reason: 'laptop lost',
    };
    const elsewhere = await agent.change('POST', '/keys/k1/revocation', revocation, k2);
    expect(codeOf(elsewhere)).toEqual([400, 'request-invalid']);
    const revoked = await agent.change('POST', '/keys/k2/revocation', revocation, k2);
    expect(revoked.status).toBe(200);
    expect(revoked.text).not.toMatch(/laptop/);
    const { keys } = (await agent.get('/keys', { tenant: 'elsewhere' })).body as {
      keys: { keyId: string; from: string; until: string | null; revoked: string | null }[];
    };
    expect(keys).toMatchObject([
      { keyId: 'k1', jwk: k1.jwk, until: keys[1]!.from, revoked: null },
      { keyId: 'k2', jwk: k2.jwk, until: keys[1]!.revoked },
    ]);
    const locked = await agent.change('PUT', '/clients', clients(2, 'x'), k2);
    expect(codeOf(locked)).toEqual([422, 'key-not-valid']);
    const rescue = await agent.change('PUT', '/clients', clients(2, 'x'), undefined, ADMIN);
    expect(rescue.status).toBe(200);
  });

  it('says whether a policy applies', async () => {
    const agent = await registered(k1);
    const policy = { taskCategories: ['t'], allowedActions: ['a'], maxRetentionDays: 1 };
    const set = { change: 'change-policy', expectedRevision: 0, policy };
    const dead = await agent.change('PUT', '/policy', set, k1);
    expect(dead.body['policy']).toEqual({ ...policy, revision: 1, applies: false });
    const methods = ['ed25519', 'policy_auto_accept'];
    const allow = { change: 'change-methods', expectedRevision: 1, methods };
    const live = await agent.change('PUT', '/methods', allow, k1);
    expect(live.body['policy']).toEqual({ ...policy, revision: 1, applies: true });
    const remove = { change: 'change-policy', expectedRevision: 2, policy: null };
    expect((await agent.change('PUT', '/policy', remove, k1)).body['policy']).toBeNull();
    for (const bad of [{ ...policy, allowedActions: [] }, { ...policy, x: 1 }, 7, undefined]) {
      const body = { change: 'change-policy', expectedRevision: 3, policy: bad };
      const answer = await agent.change('PUT', '/policy', body, k1);
      expect(codeOf(answer)).toEqual([400, 'request-invalid']);
      expect(answer.body['errors']).toMatchObject([{ pointer: '/policy' }]);
    }
  });

  it('after retirement is a revocation or nothing, and the id stays taken', async () => {
    const agent = await registered(k1);
    const retire = { change: 'retire', expectedRevision: 0, reason: 'replaced' };
    const retired = await agent.change('POST', '/retirement', retire, k1);
    expect(retired.body).toMatchObject({ status: 'retired', retiredAt: retired.body['updatedAt'] });
    const again = await agent.change('PUT', '/clients', clients(1, 'x'), k1);
    expect(codeOf(again)).toEqual([409, 'agent-retired']);
    expect(codeOf(await agent.register([k2]))).toEqual([409, 'agent-exists']);
    expect((await agent.get('/keys')).status).toBe(200);
    const revoke = { change: 'revoke-key', expectedRevision: 1, keyId: 'k1', reason: 'stolen' };
    const unsigned = await agent.change('POST', '/keys/k1/revocation', revoke);
    expect(codeOf(unsigned)).toEqual([403, 'change-signature-required']);
    const revoked = await agent.change('POST', '/keys/k1/revocation', revoke, k1);
    expect(revoked.body).toMatchObject({ status: 'retired', revision: 2 });
    const { keys, updatedAt } = (await agent.get()).body;
    expect(keys).toMatchObject([{ keyId: 'k1', until: updatedAt, revoked: updatedAt }]);
  });

  it('is for the kind that the body names, at the address of that kind', async () => {
    const agent = await registered(k1);
    const body = { ...clients(0, 'x'), change: 'retire' };
    const answer = await agent.change('PUT', '/clients', body, k1);
    expect(codeOf(answer)).toEqual([400, 'request-invalid']);
    expect(answer.body['errors']).toMatchObject([{ pointer: '/change' }]);
  });

  it('may name its revision in If-Match too, but no other one', async () => {
    const agent = await registered(k1);
    const put = async (ifMatch: string): Promise<Answer> =>
      service.call('PUT', `${agent.path}/clients`, {
        token,
        body: signedBody(clients(0, 'x'), agent.agentId, k1, service),
        headers: { 'if-match': ifMatch },
      });
    expect(codeOf(await put('"1"'))).toEqual([400, 'request-invalid']);
    expect(codeOf(await put('*'))).toEqual([400, 'request-invalid']);
    expect((await put('"0"')).status).toBe(200);
  });
});

describe('doing it again', () => {
  it('answers a repeated registration with the first result, key or no key', async () => {
    for (const headers of [{}, { 'idempotency-key': 'register-it' }]) {
      const agent = fresh();
      const body = {
        agentId: agent.agentId,
        keys: [keyMember(k1, agent.agentId, service)],
        transport: OWN_ENDPOINT,
      };
      const post = async (): Promise<Answer> =>
        service.call('POST', '/v1/agents', { token, body, headers });
      const first = await post();
      const change = { change: 'change-clients', expectedRevision: 0, clients: ['later'] };
      expect((await agent.change('PUT', '/clients', change, k1)).status).toBe(200);
      const second = await post();
      expect([first.status, second.status]).toEqual([201, 201]);
      expect(second.body).toEqual(first.body);
      expect(second.headers.get('idempotency-replayed')).toBe('true');
      for (const name of ['location', 'etag', 'position-token']) {
        expect(second.headers.get(name)).toBe(first.headers.get(name));
      }
    }
  });

  it('refuses another request under the same key, and knows whose key it is', async () => {
    const headers = { 'idempotency-key': 'shared' };
    const agent = await registered();
    const put = async (clients: readonly string[], as = token): Promise<Answer> =>
      service.call('PUT', `${agent.path}/clients`, {
        token: as,
        body: { change: 'change-clients', expectedRevision: 0, clients },
        headers,
      });
    expect((await put(['a'])).status).toBe(200);
    expect(codeOf(await put(['b']))).toEqual([422, 'idempotency-key-reused']);
    const admin = await service.token({ principal: 'admin', ...ADMIN });
    expect(codeOf(await put(['b'], admin))).toEqual([409, 'agent-changed']);
  });

  it('plays an old signed change to no effect: A, B, then A again', async () => {
    const agent = await registered(k1);
    const sign = (revision: number, name: string): object =>
      signedBody(
        { change: 'change-clients', expectedRevision: revision, clients: [name] },
        agent.agentId,
        k1,
        service,
      );
    const a = sign(0, 'a');
    const put = async (body: object, headers = {}, as = token): Promise<Answer> =>
      service.call('PUT', `${agent.path}/clients`, { token: as, body, headers });
    expect((await put(a)).status).toBe(200);
    expect((await put(sign(1, 'b'))).status).toBe(200);
    // The owner's own retry is told what became of it; nobody else moves anything with it.
    const retried = await put(a);
    expect([retried.headers.get('idempotency-replayed'), retried.body['clients']]).toEqual([
      'true',
      ['a'],
    ]);
    const thief = await service.token({ principal: 'x', agent: agent.agentId });
    for (const [headers, as] of [
      [{ 'idempotency-key': 'fresh' }, token],
      [{}, thief],
    ] as const) {
      expect(codeOf(await put(a, headers, as))).toEqual([409, 'agent-changed']);
    }
    const moved = { ...a, expectedRevision: 2 };
    expect(codeOf(await put(moved, {}, thief))).toEqual([422, 'signature-invalid']);
    expect((await agent.get()).body['clients']).toEqual(['b']);
  });

  it('lets one of many changes at once win', async () => {
    const agent = await registered(k1);
    const answers = await Promise.all(
      Array.from({ length: 16 }, (_, i) =>
        agent.change(
          'PUT',
          '/clients',
          { change: 'change-clients', expectedRevision: 0, clients: [String(i)] },
          k1,
        ),
      ),
    );
    const codes = answers.map(({ status, body }) => body['code'] ?? status);
    expect(codes.filter((code) => code === 200)).toHaveLength(1);
    expect(codes.filter((code) => code === 'agent-changed')).toHaveLength(15);
    expect((await agent.get()).body['revision']).toBe(1);
  });

  it('lets one of many registrations at once win', async () => {
    const agent = fresh();
    const tokens = await Promise.all(
      Array.from({ length: 16 }, (_, i) => service.token({ principal: `owner-${String(i)}` })),
    );
    const answers = await Promise.all(tokens.map((each) => agent.register([], {}, each)));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(answers.filter(({ body }) => body['code'] === 'agent-exists')).toHaveLength(15);
  });

  it('works after a restart, too', async () => {
    const agent = await registered(k1);
    const body = signedBody(
      { change: 'change-clients', expectedRevision: 0, clients: ['x'] },
      agent.agentId,
      k1,
      service,
    );
    const put = async (): Promise<Answer> =>
      service.call('PUT', `${agent.path}/clients`, { token, body });
    const first = await put();
    await service.restart();
    const second = await put();
    expect(second.body).toEqual(first.body);
    expect(second.headers.get('idempotency-replayed')).toBe('true');
    expect((await agent.get()).body).toEqual(first.body);
    const position = { 'position-token': first.headers.get('position-token')! };
    const listed = await service.call('GET', '/v1/agents?limit=100', { token, headers: position });
    expect(listed.body['items']).toContainEqual({ ...first.body, reliable: true });
  });
});

it('describes every operation in OpenAPI', async () => {
  const { body } = await service.call('GET', '/openapi.json');
  const paths = body['paths'] as Record<string, Record<string, { responses: object }>>;
  const operations = Object.entries(paths)
    .filter(([path]) => path.startsWith('/v1/agents'))
    .flatMap(([path, methods]) => Object.keys(methods).map((method) => `${method} ${path}`));
  expect(operations.sort()).toEqual([
    'get /v1/agents',
    'get /v1/agents/{agentId}',
    'get /v1/agents/{agentId}/keys',
    'post /v1/agents',
    'post /v1/agents/{agentId}/keys',
    'post /v1/agents/{agentId}/keys/{keyId}/revocation',
    'post /v1/agents/{agentId}/retirement',
    'put /v1/agents/{agentId}/clients',
    'put /v1/agents/{agentId}/methods',
    'put /v1/agents/{agentId}/policy',
    'put /v1/agents/{agentId}/transport',
  ]);
});
