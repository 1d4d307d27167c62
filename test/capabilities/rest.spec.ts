import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { AgentId, SkillId } from '../../src/kernel/ids.js';
import type { JsonObject } from '../../src/kernel/json.js';
import { admission, ORIGIN } from '../invocations/support/admissions.js';
import { FINANCE } from './support/capabilities.js';
import { hostedAgent } from './support/capability-node.js';
import { edited, RECONCILE, RICH } from './support/documents.js';
import { operator } from './support/given-when-then.js';
import { RestApp, type RestAnswer, type RestCall } from './support/rest-app.js';

const SECOND = 'second-agent' as AgentId;
const FOREIGN = 'foreign-agent' as AgentId;
const by = operator();
const reader = operator(['capabilities:read']);
const supervisor = operator(['operator:read']);
const rival = operator(['capabilities:write', 'capabilities:read', 'operator:read'], 'rival');

let app: RestApp;
let count = 0;

beforeAll(async () => {
  app = await RestApp.start({
    hosted: [hostedAgent(FINANCE), hostedAgent(SECOND), hostedAgent(FOREIGN, { tenant: 'rival' })],
  });
});

afterAll(async () => {
  await app.dispose();
});

const BASE = '/v1/capabilities';
const codeOf = ({ status, body }: RestAnswer): unknown => [status, body['code']];
const doc = (id: string, changes: JsonObject = {}): JsonObject => ({
  ...RECONCILE,
  id,
  ...changes,
});
const post = (body: unknown, call: RestCall = {}): Promise<RestAnswer> =>
  app.call('POST', BASE, { by, body, ...call });

/** A fresh capability; its path. */
async function registered(changes: JsonObject = {}): Promise<string> {
  const id = `skill-${++count}`;
  const answer = await post(doc(id, changes));
  if (answer.status !== 201) throw new Error(JSON.stringify(answer.body));
  return `${BASE}/${FINANCE}/${id}`;
}

const idOf = (path: string): SkillId => path.split('/').at(-1) as SkillId;
const become = (path: string, body: object, call: RestCall = {}): Promise<RestAnswer> =>
  app.call('POST', `${path}/state`, { by, body, ...call });
const put = (path: string, body: unknown, call: RestCall = {}): Promise<RestAnswer> =>
  app.call('PUT', path, { by, body, ...call });

describe('registration', () => {
  it('answers 201 with the capability, its address, its ETag, a position and warnings', async () => {
    const answer = await post(RECONCILE);
    expect(answer.status).toBe(201);
    expect(answer.headers.get('location')).toBe(`${BASE}/finance-agent/reconcile-invoice`);
    expect(answer.headers.get('etag')).toBe('"0"');
    expect(answer.headers.get('position-token')).toMatch(/^\d{20,40}$/);
    expect(answer.body).toEqual({
      agentId: 'finance-agent',
      skillId: 'reconcile-invoice',
      revision: 0,
      manifest: { ...RECONCILE, agentId: 'finance-agent' },
      optedInCallers: 0,
      registeredAt: answer.body['updatedAt'],
      updatedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      warnings: [{ code: 'few-examples', detail: 'It has few examples.' }],
    });
  });

  it('is for any agent that is hosted for the tenant', async () => {
    expect((await post(doc('a', { agentId: SECOND }))).status).toBe(201);
    const absent = [404, 'agent-not-hosted'];
    expect(codeOf(await post(doc('a', { agentId: FOREIGN })))).toEqual(absent);
    expect(codeOf(await post(doc('a', { agentId: 'nobody' })))).toEqual(absent);
    expect(codeOf(await post(doc('a'), { by: rival }))).toEqual(absent);
  });

  it('needs the scope, and a token', async () => {
    expect(codeOf(await post(doc('b'), { by: reader }))).toEqual([403, 'scope-missing']);
    const { status } = await app.call('POST', BASE, { body: doc('b') });
    expect(status).toBe(401);
  });

  it('lists every fault with its pointer, and registers nothing', async () => {
    const wrong = edited(edited(RICH, '/skill/tags', []), '/limits/max_parts', 0);
    const answer = await post({ ...(wrong as object), id: 'wrong', surprise: 1 });
    expect(codeOf(answer)).toEqual([422, 'manifest-invalid']);
    expect((answer.body['errors'] as { pointer: string }[]).map(({ pointer }) => pointer)).toEqual([
      '/skill/tags',
      '/limits/max_parts',
      '/surprise',
    ]);
    const { status } = await app.call('GET', `${BASE}/finance-agent/wrong`, { by: reader });
    expect(status).toBe(404);
  });

  it.each([undefined, null, 1, [], 'text'])('takes no body %j', async (body) => {
    expect(codeOf(await post(body))).toEqual([422, 'manifest-invalid']);
  });

  it('compiles the schemas', async () => {
    const direct_invoke = {
      input_schema: { type: 'object', properties: { a: { tpye: 'string' } } },
      output_schema: { $async: true },
      backend: { type: 'http' },
    };
    const answer = await post(doc('schemas', { direct_invoke }));
    expect(codeOf(answer)).toEqual([422, 'manifest-invalid']);
    expect(answer.body['errors']).toEqual([
      {
        pointer: '/direct_invoke/input_schema',
        detail: 'does not compile: strict mode: unknown keyword: "tpye"',
      },
      { pointer: '/direct_invoke/output_schema/$async', detail: 'is not supported' },
    ]);
  });

  it('takes schemas that hold 2,000 values, and none that hold more', async () => {
    const holding = (values: number) => ({ enum: Array.from({ length: values - 2 }, (_, n) => n) });
    const withSchema = (values: number) => ({
      input_schema: holding(values),
      output_schema: {},
      backend: { type: 'http' },
    });
    const most = await post(doc('most', { direct_invoke: withSchema(2_000) }));
    expect(most.status).toBe(201);
    const more = await post(doc('more', { direct_invoke: withSchema(2_001) }));
    expect(codeOf(more)).toEqual([422, 'manifest-invalid']);
    expect(more.body['errors']).toEqual([
      { pointer: '/direct_invoke/input_schema', detail: 'holds more than 2000 values' },
    ]);
  });

  it('judges shape, schemas and rules of a manifest in one go', async () => {
    const direct_invoke = {
      input_schema: { type: 'objekt' },
      output_schema: {},
      backend: { type: 'http' },
    };
    const rules = { visibility: 'public', requires_contract: true, replacement: 'v2' };
    const answer = await post(doc('all', { ...rules, direct_invoke, owner: 1 }));
    expect(codeOf(answer)).toEqual([422, 'manifest-invalid']);
    expect((answer.body['errors'] as { pointer: string }[]).map(({ pointer }) => pointer)).toEqual([
      '/owner',
      '/direct_invoke/input_schema/type',
      '/requires_scopes',
      '/action',
      '/replacement',
    ]);
    const one = await post(doc('one', { requires_contract: true }));
    expect(codeOf(one)).toEqual([422, 'contract-action-missing']);
    expect(one.body['errors']).toMatchObject([{ pointer: '/action' }]);
  });

  it('twice is refused, unless it is the same request again', async () => {
    const body = doc('twice');
    const first = await post(body);
    const again = await post(body);
    expect(again.status).toBe(201);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect(again.body).toEqual(first.body);
    expect(codeOf(await post({ ...body, owner: 'x' }))).toEqual([409, 'capability-exists']);
    const headers = { 'idempotency-key': randomUUID() };
    expect((await post(doc('keyed'), { headers })).status).toBe(201);
    expect(codeOf(await post(doc('keyed-too'), { headers }))).toEqual([201, undefined]);
    expect(codeOf(await post(doc('keyed', { owner: 'x' }), { headers }))).toEqual([
      422,
      'idempotency-key-reused',
    ]);
  });
});

describe('one capability', () => {
  it('is read by readers of its tenant; for others it does not exist', async () => {
    const path = await registered({ visibility: 'internal' });
    for (const who of [reader, supervisor]) {
      const { status, body, headers } = await app.call('GET', path, { by: who });
      expect([status, headers.get('etag')]).toEqual([200, '"0"']);
      expect(headers.get('cache-control')).toContain('private');
      expect(body['manifest']).toMatchObject({ visibility: 'internal' });
    }
    const absent = [404, 'capability-not-found'];
    expect(codeOf(await app.call('GET', path, { by: rival }))).toEqual(absent);
    expect(codeOf(await app.call('GET', `${BASE}/a%20b/x`, { by: reader }))).toEqual(absent);
    expect(codeOf(await app.call('GET', path, { by }))).toEqual([403, 'scope-missing']);
  });

  it('is answered 304 to whoever has it', async () => {
    const path = await registered();
    const headers = { 'if-none-match': '"7", W/"0"' };
    expect((await app.call('GET', path, { by: reader, headers })).status).toBe(304);
  });
});

describe('a revision', () => {
  it('that changes nothing leaves no trace, and is no replay', async () => {
    const path = await registered();
    const headers = { 'if-match': '"0"', 'idempotency-key': randomUUID() };
    for (let times = 0; times < 2; times++) {
      const answer = await put(path, doc(idOf(path)), { headers });
      expect([answer.status, answer.headers.get('etag')]).toEqual([200, '"0"']);
      expect(answer.headers.get('idempotency-replayed')).toBeNull();
    }
    expect((await put(path, doc(idOf(path), { owner: 'another' }), { headers })).status).toBe(200);
  });

  it('names the revision that it was written against, in the address or by If-Match', async () => {
    const path = await registered();
    const body = doc(idOf(path), { owner: 'b' });
    expect(codeOf(await put(path, body))).toEqual([428, 'expected-revision-required']);
    const byMatch = { headers: { 'if-match': '"0"' } };
    const answer = await put(path, body, byMatch);
    expect([answer.status, answer.headers.get('etag')]).toEqual([200, '"1"']);
    expect(answer.body['manifest']).toMatchObject({ owner: 'b' });
    // The same request again is answered again.
    expect((await put(path, body, byMatch)).headers.get('idempotency-replayed')).toBe('true');
    const other = doc(idOf(path), { owner: 'c' });
    expect(codeOf(await put(path, other, byMatch))).toEqual([412, 'precondition-failed']);
    expect(codeOf(await put(`${path}?expectedRevision=0`, other))).toEqual([
      409,
      'capability-changed',
    ]);
    expect((await put(`${path}?expectedRevision=1`, other)).status).toBe(200);
  });

  it('under a key is another one where it names another revision, wherever it names it', async () => {
    const path = await registered();
    const body = doc(idOf(path), { owner: 'b' });
    const key = { 'idempotency-key': randomUUID() };
    const byMatch = (revision: number): Promise<RestAnswer> =>
      put(path, body, { headers: { ...key, 'if-match': `"${String(revision)}"` } });
    const inAddress = (revision: number): Promise<RestAnswer> =>
      put(`${path}?expectedRevision=${String(revision)}`, body, { headers: key });
    expect((await byMatch(0)).headers.get('etag')).toBe('"1"');
    for (const again of [await byMatch(0), await inAddress(0)]) {
      expect([again.status, again.headers.get('etag')]).toEqual([200, '"1"']);
      expect(again.headers.get('idempotency-replayed')).toBe('true');
    }
    for (const other of [await byMatch(1), await inAddress(1), await byMatch(7)]) {
      expect(codeOf(other)).toEqual([422, 'idempotency-key-reused']);
    }
  });

  it.each(['*', 'W/"0"', '"0", "1"', '0', '"x"', '"00"'])('takes no If-Match %s', async (tag) => {
    const path = await registered();
    const answer = await put(path, doc(idOf(path)), { headers: { 'if-match': tag } });
    expect(codeOf(answer)).toEqual([400, 'request-invalid']);
  });

  it('is of the capability of its address', async () => {
    const path = await registered();
    const answer = await put(`${path}?expectedRevision=0`, doc('another', { agentId: SECOND }));
    expect(codeOf(answer)).toEqual([400, 'request-invalid']);
    expect((answer.body['errors'] as { pointer: string }[]).map(({ pointer }) => pointer)).toEqual([
      '/id',
      '/agentId',
    ]);
  });

  it('of another tenant’s capability is not even looked at', async () => {
    const path = await registered();
    expect(codeOf(await put(path, { junk: 1 }, { by: rival }))).toEqual([
      404,
      'capability-not-found',
    ]);
  });

  it('does not change the meaning', async () => {
    const path = await registered();
    const body = edited(doc(idOf(path)), '/skill/outputModes', ['text/csv']);
    expect(codeOf(await put(`${path}?expectedRevision=0`, body))).toEqual([
      409,
      'capability-meaning-changed',
    ]);
  });
});

describe('a change of state', () => {
  it('moves on to a tombstone that names its replacement', async () => {
    const [path, next] = [await registered(), await registered()];
    const replacement = idOf(next);
    const deprecated = await become(path, {
      state: 'deprecated',
      replacement,
      reason: 'v2',
      expectedRevision: 0,
    });
    expect(deprecated.body['manifest']).toMatchObject({ state: 'deprecated', replacement });
    expect(JSON.stringify(deprecated.body)).not.toContain('"v2"');
    const headers = { 'if-match': '"1"' };
    const removed = await become(path, { state: 'removed' }, { headers });
    expect([removed.status, removed.headers.get('etag')]).toEqual([200, '"2"']);
    const read = await app.call('GET', path, { by: reader });
    expect(read.body['manifest']).toMatchObject({ state: 'removed', replacement });
    const over = await become(path, { state: 'deprecated', expectedRevision: 2 });
    expect(codeOf(over)).toEqual([409, 'capability-removed']);
    expect(codeOf(await post(doc(idOf(path))))).toEqual([201, undefined]);
    expect(codeOf(await post(doc(idOf(path), { owner: 'x' })))).toEqual([409, 'capability-exists']);
  });

  it('withdraws a pointer to a replacement, and only then', async () => {
    const [path, next] = [await registered(), await registered({ state: 'deprecated' })];
    const replacement = idOf(next);
    await become(path, { state: 'deprecated', replacement, expectedRevision: 0 });
    const kept = await become(path, { state: 'deprecated', expectedRevision: 1 });
    expect(kept.body['manifest']).toMatchObject({ replacement });
    const withdrawn = { state: 'deprecated', replacement: null, expectedRevision: 1 };
    const { status, body } = await become(path, withdrawn);
    expect([status, (body['manifest'] as JsonObject)['replacement']]).toEqual([200, undefined]);
    const ga = await registered();
    const nothing = { state: 'deprecated', replacement: null, expectedRevision: 0 };
    expect((await become(ga, nothing)).status).toBe(200);
  });

  it.each([{}, { replacement: null }])(
    'removes what points to a tombstone by now: %j',
    async (more) => {
      const [path, next] = [await registered(), await registered({ state: 'deprecated' })];
      const replacement = idOf(next);
      await become(path, { state: 'deprecated', replacement, expectedRevision: 0 });
      expect((await become(next, { state: 'removed', expectedRevision: 0 })).status).toBe(200);
      const answer = await become(path, { state: 'removed', expectedRevision: 1, ...more });
      expect(answer.status).toBe(200);
      expect((answer.body['manifest'] as JsonObject)['replacement']).toBe(
        'replacement' in more ? undefined : replacement,
      );
      // Nothing is newly pointed to a tombstone.
      const other = await registered({ state: 'deprecated' });
      const body = { state: 'deprecated', replacement, expectedRevision: 0 };
      expect(codeOf(await become(other, body))).toEqual([422, 'replacement-removed']);
    },
  );

  it('records the head of the replacement that it rests on', async () => {
    const [path, next] = [await registered(), await registered()];
    await put(`${next}?expectedRevision=0`, doc(idOf(next), { owner: 'b' }));
    await become(path, { state: 'deprecated', replacement: idOf(next), expectedRevision: 0 });
    const events = await app.node.store.readStream(`capability-${FINANCE}/${idOf(path)}`);
    expect(events[1]?.metadata.basedOn).toEqual({ [`capability-${FINANCE}/${idOf(next)}`]: 1 });
  });

  it.each<readonly [object, string]>([
    [{ state: 'preview', expectedRevision: 0 }, '/state'],
    [{ state: 'deprecated', replacement: 'a b', expectedRevision: 0 }, '/replacement'],
    [{ state: 'deprecated', expectedRevision: -1 }, '/expectedRevision'],
    [{ state: 'deprecated', expectedRevision: 0.5 }, '/expectedRevision'],
    [{ state: 'removed', force: true, expectedRevision: 0 }, '/reason'],
    [{ state: 'removed', force: true, reason: '  ', expectedRevision: 0 }, '/reason'],
    [{ state: 'removed', force: false, expectedRevision: 0 }, '/force'],
    [{ state: 'removed', reason: 'x'.repeat(2001), expectedRevision: 0 }, '/reason'],
    [{ state: 'ga', expectedRevision: 0, surprise: 1 }, '/surprise'],
  ])('is not asked for by %j', async (body, pointer) => {
    const answer = await become(await registered(), body);
    expect(codeOf(answer)).toEqual([400, 'request-invalid']);
    expect(answer.body['errors']).toEqual([{ pointer, detail: expect.any(String) }]);
  });

  it('to a tombstone waits for 30 days without a call, or a reason', async () => {
    const path = await registered({ state: 'deprecated' });
    const call = admission({ skillId: idOf(path) });
    await app.ledger.admit(call, ORIGIN);
    await app.ledger.admit(admission({ skillId: idOf(path) }), ORIGIN);
    const usage = await app.call('GET', `${path}/usage`, {
      by: reader,
      headers: { 'position-token': await app.node.store.head() },
    });
    expect(usage.body).toEqual({
      lastCall: '2030-03-01T12:00:00.000Z',
      calls: 2,
      days: [{ day: '2030-03-01', calls: 2 }],
    });
    const refused = await become(path, { state: 'removed', expectedRevision: 0 });
    expect(codeOf(refused)).toEqual([409, 'capability-in-use']);
    const body = { state: 'removed', expectedRevision: 0, force: true, reason: 'it leaks' };
    expect((await become(path, body)).status).toBe(200);
    const foreign = await app.call('GET', `${path}/usage`, { by: rival });
    expect(codeOf(foreign)).toEqual([404, 'capability-not-found']);
  });
});

describe('opt-ins', () => {
  it('are put and deleted, as often as one likes', async () => {
    const path = await registered({ state: 'preview' });
    const at = `${path}/opt-ins/partner-agent`;
    for (const [method, expected, revision] of [
      ['PUT', 1, '"1"'],
      ['PUT', 1, '"1"'],
      ['DELETE', 0, '"2"'],
      ['DELETE', 0, '"2"'],
      ['PUT', 1, '"3"'],
    ] as const) {
      const answer = await app.call(method, at, { by });
      expect([answer.status, answer.body['optedInCallers']]).toEqual([200, expected]);
      expect(answer.headers.get('etag')).toBe(revision);
    }
  });

  it('are listed in pages', async () => {
    const path = await registered({ state: 'preview' });
    for (const agent of ['c', 'a', 'b']) await app.call('PUT', `${path}/opt-ins/${agent}`, { by });
    const list = `${path}/opt-ins?limit=2`;
    const first = await app.call('GET', list, { by: reader });
    expect(first.body['items']).toEqual(['a', 'b']);
    const cursor = String(first.body['nextCursor']);
    // The last one of the page goes: nothing is skipped.
    await app.call('DELETE', `${path}/opt-ins/b`, { by });
    const second = await app.call('GET', `${list}&cursor=${cursor}`, { by: reader });
    expect(second.body).toEqual({ items: ['c'], nextCursor: null });
    expect(codeOf(await app.call('GET', `${path}/opt-ins`, { by: rival }))).toEqual([
      404,
      'capability-not-found',
    ]);
  });

  it('are of previews, by operators of the tenant, for agents', async () => {
    const preview = await registered({ state: 'preview' });
    const ga = await registered();
    const put = (path: string, who = by) => app.call('PUT', path, { by: who });
    expect(codeOf(await put(`${ga}/opt-ins/a`))).toEqual([409, 'capability-not-preview']);
    expect(codeOf(await put(`${preview}/opt-ins/a%20b`))).toEqual([422, 'agent-id-invalid']);
    expect(codeOf(await put(`${preview}/opt-ins/a`, rival))).toEqual([404, 'capability-not-found']);
    expect(codeOf(await put(`${preview}/opt-ins/a`, reader))).toEqual([403, 'scope-missing']);
  });
});

describe('the list', () => {
  const listed = async (query: string, who = reader): Promise<readonly string[]> => {
    const ids: string[] = [];
    let cursor = '';
    do {
      const position = { 'position-token': await app.node.store.head() };
      const answer = await app.call('GET', `${BASE}?${query}${cursor}`, {
        by: who,
        headers: position,
      });
      if (answer.status !== 200) return [String(answer.body['code'])];
      const items = answer.body['items'] as { agentId: string; skillId: string }[];
      ids.push(...items.map(({ agentId, skillId }) => `${agentId}/${skillId}`));
      const next = answer.body['nextCursor'];
      cursor = next === null ? '' : `&cursor=${String(next)}`;
    } while (cursor !== '');
    return ids;
  };

  it('pages through all of the tenant’s agents, and nobody else’s', async () => {
    await post(doc('of-second', { agentId: SECOND }));
    await post(doc('of-rival', { agentId: FOREIGN }), { by: rival });
    const all = await listed('limit=100');
    expect(all).toEqual([...all].sort());
    expect(all).toContain('second-agent/of-second');
    expect(await listed('limit=2')).toEqual(all);
    expect(await listed('limit=7', supervisor)).toEqual(all);
    expect(await listed('', rival)).toEqual(['foreign-agent/of-rival']);
  });

  it('is filtered by agent, state, visibility and owner, all at once', async () => {
    await post(doc('f-1', { agentId: SECOND, state: 'preview', owner: 'team x' }));
    await post(doc('f-2', { agentId: SECOND, visibility: 'internal', owner: 'team x' }));
    await post(doc('f-3', { state: 'preview', owner: 'team x' }));
    expect(await listed('owner=team%20x')).toEqual([
      'finance-agent/f-3',
      'second-agent/f-1',
      'second-agent/f-2',
    ]);
    expect(await listed('owner=team%20x&state=preview&limit=1')).toEqual([
      'finance-agent/f-3',
      'second-agent/f-1',
    ]);
    expect(await listed('owner=team%20x&visibility=internal')).toEqual(['second-agent/f-2']);
    expect(await listed(`agent=${SECOND}&owner=team%20x&state=ga`)).toEqual(['second-agent/f-2']);
    expect(await listed(`agent=${FOREIGN}`)).toEqual([]);
  });

  it('says what an entry is', async () => {
    const { body } = await app.call('GET', `${BASE}?agent=${FINANCE}&limit=1`, { by: reader });
    const [item] = body['items'] as object[];
    expect(Object.keys(item!).sort()).toEqual(
      [
        ...['agentId', 'name', 'owner', 'reliable', 'replacement', 'revision', 'skillId'],
        ...['state', 'updatedAt', 'visibility'],
      ].sort(),
    );
  });

  it.each(['state=gone', 'visibility=PUBLIC', 'owner=', 'limit=0', 'limit=101', 'tenant=x'])(
    'takes no %s',
    async (query) => {
      expect(await listed(query)).toEqual(['request-invalid']);
    },
  );

  it('takes no cursor of another list or other filters', async () => {
    const { body } = await app.call('GET', `${BASE}?limit=1`, { by: reader });
    const cursor = String(body['nextCursor']);
    expect(await listed(`limit=1&state=ga&cursor=${cursor}`)).toEqual(['cursor-invalid']);
    expect(await listed('cursor=AAAA')).toEqual(['cursor-invalid']);
  });
});

describe('the card', () => {
  it('is published with each change of what it shows', async () => {
    const before = await app.node.store.readStream(`card-${FINANCE}`);
    await registered({ visibility: 'public', requires_scopes: [] });
    const after = await app.node.store.readStream(`card-${FINANCE}`);
    expect(after).toHaveLength(before.length + 1);
  });
});

describe('two operators at once', () => {
  it('do not undo each other’s changes: one wins', async () => {
    for (let round = 0; round < 20; round++) {
      const path = await registered();
      const answers = await Promise.all([
        put(`${path}?expectedRevision=0`, doc(idOf(path), { owner: 'a' })),
        put(`${path}?expectedRevision=0`, doc(idOf(path), { owner: 'b' })),
        become(path, { state: 'deprecated', expectedRevision: 0 }),
      ]);
      const statuses = answers.map(({ status }) => status).sort();
      expect(statuses).toEqual([200, 409, 409]);
      const { body } = await app.call('GET', path, { by: reader });
      expect(body['revision']).toBe(1);
    }
  });

  it('register an id once', async () => {
    const answers = await Promise.all(
      ['a', 'b', 'c', 'd'].map((owner) => post(doc('raced', { owner }))),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409]);
  });
});

describe('the API description', () => {
  it('has every operation with its scopes, and the manifest', async () => {
    const { body } = await app.call('GET', '/openapi.json');
    const paths = body['paths'] as Record<string, Record<string, { security: object[] }>>;
    const operations = Object.entries(paths)
      .filter(([path]) => path.startsWith(BASE))
      .flatMap(([path, item]) =>
        Object.entries(item).map(([method, { security }]) => [
          `${method} ${path.slice(BASE.length)}`,
          (security as { bearer: string[] }[])[0]!.bearer,
        ]),
      );
    const write = ['capabilities:write'];
    const read = ['capabilities:read', 'operator:read'];
    const one = '/{agentId}/{skillId}';
    expect(Object.fromEntries(operations)).toEqual({
      'post ': write,
      'get ': read,
      [`get ${one}`]: read,
      [`put ${one}`]: write,
      [`post ${one}/state`]: write,
      [`get ${one}/usage`]: read,
      [`get ${one}/opt-ins`]: read,
      [`put ${one}/opt-ins/{callerId}`]: write,
      [`delete ${one}/opt-ins/{callerId}`]: write,
    });
    const { schemas } = body['components'] as { schemas: Record<string, { required: string[] }> };
    expect(schemas['ManifestSchema']!.required.sort()).toEqual(
      [
        ...['handler', 'id', 'owner', 'requires_scopes', 'skill', 'state'],
        ...['tenants', 'visibility'],
      ].sort(),
    );
  });
});
