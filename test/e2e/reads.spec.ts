import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { fullFormats } from 'ajv-formats/dist/formats.js';
import { join } from 'node:path';
import { randomBytes, randomUUID } from 'node:crypto';
import { openSqliteKeyStore } from '../../src/event-store/sqlite/sqlite-key-store.js';
import type { FederatedInteraction } from '../../src/kernel/federated-interaction.js';
import type { Json } from '../../src/kernel/json.js';
import { timestampOf } from '../../src/kernel/timestamp.js';
import {
  startTestService,
  type Answer,
  type InProcessService,
  type TokenOptions,
} from '../support/service.js';
import { emitted, refused } from './support/expectations.js';
import {
  contractOf,
  documentOf,
  headOf,
  Negotiator,
  newest,
  pathOf,
} from './support/negotiator.js';

let service: InProcessService;
let alpha: Negotiator;
let beta: Negotiator;
let stranger: Negotiator;

beforeAll(async () => {
  service = await startTestService();
  alpha = await Negotiator.register(service, 'alpha');
  beta = await Negotiator.register(service, 'beta');
  stranger = await Negotiator.register(service, 'stranger');
});

afterAll(async () => {
  await service.dispose();
});

const propose = async (): Promise<FederatedInteraction> =>
  documentOf(await alpha.propose(contractOf([alpha, beta]), beta));

const list = ({ body }: Answer): readonly Record<string, Json>[] =>
  body as unknown as Record<string, Json>[];

const SUB_RESOURCES = [
  '',
  '/status',
  '/revisions',
  '/revisions/1',
  '/revisions/1/warnings',
  '/acceptances',
  '/events',
  '/verification-keys',
];

describe('who reads an interaction', () => {
  let document: FederatedInteraction;

  beforeAll(async () => {
    document = await propose();
  });

  const allowed: readonly [string, () => TokenOptions][] = [
    ['a party’s runtime', () => ({ ...beta.runtimeToken, scopes: [] })],
    ['a party’s owner', () => ({ ...beta.ownerToken, scopes: [] })],
    [
      'a client of a party',
      () => ({ principal: alpha.client, client: alpha.client, tenant: alpha.tenant, scopes: [] }),
    ],
    ['the party’s tenant with interactions:read', () => alpha.colleague('interactions:read')],
    ['the party’s tenant with audit:read', () => beta.colleague('audit:read')],
    ['an operator of any tenant', () => stranger.colleague('operator:read')],
    ['an auditor of every tenant', () => stranger.colleague('audit:read-all')],
  ];

  it.each(allowed)('%s: every part of it', async (_, token) => {
    const options = { token: token() };
    for (const part of SUB_RESOURCES) {
      expect((await alpha.get(`${pathOf(document)}${part}`, options)).status).toBe(200);
    }
  });

  const foreign: readonly [string, () => TokenOptions][] = [
    ['another agent’s runtime', () => stranger.runtimeToken],
    ['another tenant with interactions:read', () => stranger.colleague('interactions:read')],
    ['another tenant with audit:read', () => stranger.colleague('audit:read')],
    ['the tenant without a scope', () => alpha.colleague()],
    ['the tenant with another scope', () => alpha.colleague('interactions:write', 'agents:admin')],
    [
      'the owner of a party, by a token bound to another agent',
      () => ({ ...alpha.ownerToken, agent: 'stranger' }),
    ],
  ];

  it.each(foreign)('%s: foreign is unknown, for every route', async (_, token) => {
    const unknown = randomUUID();
    const alike = async (method: 'GET' | 'POST', part: string, body?: object): Promise<void> => {
      const [existing, missing] = await Promise.all(
        [document.interactionId, unknown].map(async (interactionId) => {
          const path = `${pathOf({ interactionId })}${part}`;
          const answer =
            body === undefined
              ? await stranger.get(path, { token: token() })
              : await stranger.post(path, body, {
                  token: { ...token(), scopes: ['interactions:write'] },
                });
          const text = JSON.stringify({ ...answer.body, correlationId: '', instance: '' });
          const names = [...answer.headers.keys()];
          return { status: answer.status, text, names, code: answer.body['code'] };
        }),
      );
      expect([method, part, existing?.code]).toEqual([method, part, 'interaction-not-found']);
      expect(existing).toEqual(missing);
    };
    for (const part of [...SUB_RESOURCES, '/revisions/9', `?at=${document.createdAt}`]) {
      await alike('GET', part);
    }
    const acts: readonly [string, object][] = [
      ['/revisions', beta.revision(document, newest(document).contract)],
      ['/acceptances', beta.consent(document)],
      ['/rejections', beta.rejection(document)],
      ['/withdrawal', beta.withdrawal(document)],
      ['/cancellation', beta.cancellation(document)],
      ['/completion', beta.completion(document)],
    ];
    for (const [part, body] of acts) {
      await alike('POST', part, { ...body, agentId: 'stranger' });
      await alike('POST', part, { ...body, agentId: 'nobody' });
    }
  });

  it('is asked before anything else about the document', async () => {
    const token = stranger.runtimeToken;
    const path = pathOf(document);
    refused(await stranger.get(`${path}/revisions/x`, { token }), 404, 'interaction-not-found');
    const headers = { 'if-none-match': '*' };
    refused(await stranger.get(path, { token, headers }), 404, 'interaction-not-found');
    refused(await alpha.get('/v1/interactions/not-an-id'), 404, 'interaction-not-found');
    const loud = pathOf(document).toUpperCase().replace('/V1/INTERACTIONS', '/v1/interactions');
    refused(await alpha.get(loud), 404, 'interaction-not-found');
    refused(await service.call('GET', path), 401, 'token-missing');
  });
});

describe('the document', () => {
  it('is exactly the wire document, answered 304 to whoever has it', async () => {
    const document = await propose();
    const answer = await alpha.get(pathOf(document));
    expect(emitted(answer, 200)).toEqual(document);
    const etag = answer.headers.get('etag') ?? '';
    expect(answer.headers.get('cache-control')).toBe('private, no-cache');
    for (const known of [etag, `W/${etag}`, `"x", ${etag}`, '*']) {
      const again = await alpha.get(pathOf(document), { headers: { 'if-none-match': known } });
      expect([again.status, again.text, again.headers.get('etag')]).toEqual([304, '', etag]);
    }
    await beta.accept(document);
    const changed = await alpha.get(pathOf(document), { headers: { 'if-none-match': etag } });
    expect(changed.status).toBe(200);
    expect(changed.headers.get('etag')).not.toBe(etag);
  });

  it('is shown as it was at any time or position', async () => {
    const first = await alpha.propose(contractOf([alpha, beta]), beta);
    const pending = documentOf(first);
    await new Promise((resolve) => setTimeout(resolve, 5));
    const second = await beta.accept(pending);
    const agreed = documentOf(second);
    await new Promise((resolve) => setTimeout(resolve, 5));
    const cancelled = documentOf(await beta.cancel(agreed));
    const at = async (moment: string | null): Promise<Answer> =>
      alpha.get(`${pathOf(pending)}?at=${encodeURIComponent(moment ?? '')}`);

    expect(emitted(await at(pending.createdAt), 200)).toEqual(pending);
    expect(emitted(await at(first.headers.get('position-token')), 200)).toEqual(pending);
    expect((await at(pending.createdAt)).headers.get('etag')).toBe(first.headers.get('etag'));
    expect(emitted(await at(agreed.updatedAt), 200)).toEqual(agreed);
    expect(emitted(await at(second.headers.get('position-token')), 200)).toEqual(agreed);
    expect(emitted(await at(new Date().toISOString()), 200)).toEqual(cancelled);
    const just = new Date(Date.parse(agreed.updatedAt) - 1).toISOString();
    expect(emitted(await at(just), 200)).toEqual(pending);
    // The same moment in another spelling, to the last digit.
    expect(emitted(await at(agreed.updatedAt.replace('Z', '000000Z')), 200)).toEqual(agreed);

    // Acceptance and attestation came together: at either of them, the interaction is active.
    const events = list(await alpha.get(`${pathOf(pending)}/events`));
    const ofEvents = events.map(async ({ position }) => emitted(await at(String(position)), 200));
    expect(await Promise.all(ofEvents)).toEqual([pending, agreed, agreed, cancelled]);

    const before = new Date(Date.parse(pending.createdAt) - 1).toISOString();
    refused(await at(before), 404, 'interaction-not-found');
    refused(await at('00000000000000000000'), 404, 'interaction-not-found');
    for (const wrong of [
      'yesterday',
      '2026-02-30T00:00:00Z',
      '2026-01-01',
      '',
      '2999-01-01T00:00:00Z',
    ]) {
      refused(await at(wrong), 400, 'request-invalid');
    }
  });
});

describe('what lies ahead', () => {
  it('is not shown: neither a position beyond the log nor an expiry to come', async () => {
    const expiresAt = timestampOf(Date.now() + 60_000);
    const document = documentOf(
      await alpha.post(
        '/v1/interactions',
        alpha.proposal(contractOf([alpha, beta]), beta, expiresAt),
      ),
    );
    const at = async (moment: string): Promise<Answer> =>
      alpha.get(`${pathOf(document)}?at=${moment}`);
    refused(await at('9'.repeat(20)), 400, 'request-invalid');
    refused(await at('0'.repeat(40)), 400, 'position-invalid');
    // Ahead of our clock by less than the leeway: our present.
    expect(emitted(await at(new Date(Date.now() + 120_000).toISOString()), 200)).toEqual(document);
  });

  it('is waited for by every read, and no longer than the bound', async () => {
    const hasty = await startTestService({ env: { READ_WAIT_MS: '50' } });
    const party = await Negotiator.register(hasty, 'party');
    const other = await Negotiator.register(hasty, 'other');
    const document = documentOf(await party.propose(contractOf([party, other]), other));
    const paths = [
      ...SUB_RESOURCES.map((path) => `${pathOf(document)}${path}`),
      '/v1/interactions',
      '/v1/agents',
      `/v1/agents/${party.agentId}`,
      `/v1/agents/${party.agentId}/keys`,
      '/v1/platform-keys',
    ];
    for (const path of paths) {
      const token = (position: string): object => ({ headers: { 'position-token': position } });
      refused(await party.get(path, token('9'.repeat(20))), 503, 'projection-behind');
      refused(await party.get(path, token('nonsense')), 400, 'position-invalid');
      refused(await party.get(path, token('0'.repeat(40))), 400, 'position-invalid');
    }
    await hasty.dispose();
  });
});

describe('the sub-resources', () => {
  let document: FederatedInteraction;
  const REVISIONS = 5;

  beforeAll(async () => {
    document = await propose();
    for (let days = 1; days < REVISIONS; days++) {
      const who = days % 2 === 1 ? beta : alpha;
      const terms = { ...newest(document).contract, retentionDays: days };
      document = documentOf(await who.revise(document, terms));
    }
    document = documentOf(await beta.accept(document));
  });

  async function pages(part: string): Promise<Json[]> {
    const items: Json[] = [];
    let cursor: Json = null;
    do {
      const more = cursor === null ? '' : `&cursor=${String(cursor)}`;
      const { body } = await alpha.get(`${pathOf(document)}/${part}?limit=2${more}`);
      items.push(...(body['items'] as Json[]));
      cursor = body['nextCursor'] ?? null;
    } while (cursor !== null);
    return items;
  }

  it('revisions: a list in pages, and each by its number', async () => {
    expect(await pages('revisions')).toEqual(document.contractRevisions);
    for (const revision of document.contractRevisions) {
      const one = await alpha.get(`${pathOf(document)}/revisions/${String(revision.revision)}`);
      expect([one.status, one.body]).toEqual([200, revision]);
    }
    for (const number of ['0', '6', '01', '1.0', '-1', 'length', '__proto__']) {
      const answer = await alpha.get(`${pathOf(document)}/revisions/${number}`);
      refused(answer, 404, 'revision-not-found');
    }
  });

  it('acceptances: who accepted which revision, and when', async () => {
    expect(await pages('acceptances')).toEqual(
      document.contractRevisions.flatMap(({ revision, acceptances }) =>
        Object.values(acceptances).map((acceptance) => ({ revision, ...acceptance })),
      ),
    );
  });

  it('refuse cursors of other lists, of other interactions and none at all', async () => {
    const path = pathOf(document);
    const { body } = await alpha.get(`${path}/revisions?limit=1`);
    const cursor = String(body['nextCursor']);
    const other = pathOf(await propose());
    for (const wrong of [
      `${path}/acceptances?cursor=${cursor}`,
      `${path}/events?cursor=${cursor}`,
      `${other}/revisions?cursor=${cursor}`,
      `${path}/revisions?cursor=${cursor}A`,
      `${path}/revisions?cursor=`,
      `${path}/revisions?cursor=bm9uc2Vuc2U`,
    ]) {
      refused(await alpha.get(wrong), 400, 'cursor-invalid');
    }
    for (const limit of ['0', '101', '-1', '1.5', 'many', '']) {
      refused(await alpha.get(`${path}/revisions?limit=${limit}`), 400, 'request-invalid');
    }
  });

  it('events: CloudEvents 1.0 in batches, in the order of the log', async () => {
    const events: Record<string, Json>[] = [];
    let next: string | undefined = `${pathOf(document)}/events?limit=3`;
    while (next !== undefined) {
      const answer: Answer = await alpha.get(next);
      expect(answer.headers.get('content-type')).toMatch(/^application\/cloudevents-batch\+json/);
      expect(list(answer).length).toBeLessThanOrEqual(3);
      events.push(...list(answer));
      next = /^<(.+)>; rel="next"$/.exec(answer.headers.get('link') ?? '')?.[1];
    }
    expect(events).toHaveLength(REVISIONS + 2);
    expect(events.map(({ revision }) => revision)).toEqual([0, 1, 2, 3, 4, 5, 6]);
    const positions = events.map(({ position }) => String(position));
    expect(positions).toEqual([...positions].sort());
    expect(new Set(events.map(({ id }) => id)).size).toBe(events.length);
    expect(events[0]).toEqual({
      specversion: '1.0',
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      source: `${service.audience}/v1/interactions`,
      type: 'interaction-proposed',
      subject: document.interactionId,
      time: document.createdAt,
      datacontenttype: 'application/json',
      dataschema: `${service.audience}/schemas/events/interaction-proposed.schema.json`,
      revision: 0,
      position: expect.stringMatching(/^\d{20,40}$/),
      data: {
        type: 'interaction-proposed',
        schemaVersion: 1,
        data: expect.objectContaining({
          interactionId: document.interactionId,
          termsHash: document.contractRevisions[0]?.termsHash,
        }),
        texts: { contract: document.contractRevisions[0]?.contract },
      },
    });
    // CloudEvents names its attributes in lower-case letters and digits.
    for (const name of events.flatMap((event) => Object.keys(event))) {
      expect(name).toMatch(/^[a-z0-9]{1,20}$/);
    }
    for (const event of events) expect(await faultsOf(event)).toEqual([]);
  });

  /** Judges an event's data by the schema that it names, as anybody could who follows the links. */
  async function faultsOf({ dataschema, data }: Record<string, Json>): Promise<unknown> {
    const ajv = new Ajv2020({
      allErrors: true,
      loadSchema: async (uri) => {
        const path = uri.replace(service.audience, '');
        const answer = await service.call('GET', path);
        expect(answer.headers.get('content-type')).toMatch(/^application\/schema\+json/);
        return answer.body;
      },
    });
    for (const name of ['uuid', 'date-time', 'uri'] as const) {
      ajv.addFormat(name, fullFormats[name]);
    }
    const validate = await ajv.compileAsync({ $ref: String(dataschema) });
    void validate(data);
    return validate.errors ?? [];
  }

  it('status: since when, on whom, until when', async () => {
    const pending = await propose();
    const status = await alpha.get(`${pathOf(pending)}/status`);
    expect(status.body).toEqual({
      interactionId: pending.interactionId,
      status: 'pending',
      since: pending.createdAt,
      waitingOn: ['beta'],
      nextDeadline: pending.expiresAt,
      lastRejection: null,
      head: headOf(pending),
      version: 1,
      erased: false,
      erasure: null,
      erasureConsents: [],
      erasureDueAt: null,
      reliable: true,
      parkedEvents: [],
    });
    const agreed = (await alpha.get(`${pathOf(document)}/status`)).body;
    expect(agreed).toMatchObject({ status: 'active', waitingOn: ['alpha', 'beta'] });
  });

  it('verification-keys: of the parties alone, and the platform’s', async () => {
    const { body } = await alpha.get(`${pathOf(document)}/verification-keys`);
    expect(body['audience']).toBe(service.audience);
    expect(body['agents']).toEqual({
      alpha: [expect.objectContaining({ keyId: 'alpha-1', jwk: alpha.key?.jwk, revoked: null })],
      beta: [expect.objectContaining({ keyId: 'beta-1', jwk: beta.key?.jwk, until: null })],
    });
    expect(body['platform']).toEqual([
      expect.objectContaining({
        keyId: newest(document).platformAttestation?.keyId,
        purpose: 'attestation',
      }),
    ]);
  });
});

describe('agents whose ids are names of the language', () => {
  it('negotiate like any other', async () => {
    const odd = await Negotiator.register(service, 'constructor');
    const other = await Negotiator.register(service, 'toString');
    const pending = emitted(await odd.propose(contractOf([odd, other]), other), 201);
    const agreed = emitted(await other.accept(pending), 201);
    expect(Object.keys(agreed.acceptances)).toEqual(['constructor', 'toString']);
    expect(agreed.status).toBe('active');
    const keys = (await odd.get(`${pathOf(agreed)}/verification-keys`)).body['agents'];
    expect(Object.keys(keys as object)).toEqual(['constructor', 'toString']);
  });
});

describe('an interaction whose texts are erased', () => {
  it('answers 410 with what remains, and never the texts', async () => {
    const pending = documentOf(await alpha.propose(contractOf([alpha, beta]), beta));
    const agreed = documentOf(await beta.accept(pending));
    const path = pathOf(agreed);
    await service.stop();
    const keys = await openSqliteKeyStore(join(service.folder, 'keys.db'), { randomBytes });
    await keys.destroy(`interaction-${agreed.interactionId}`);
    await keys.close();
    await service.start();

    const gone = refused(await alpha.get(path), 410, 'interaction-erased');
    expect(gone.body['remains']).toMatchObject({
      interactionId: agreed.interactionId,
      status: 'active',
      termsHash: agreed.termsHash,
      contractRevisions: [
        {
          revision: 1,
          status: 'accepted',
          acceptances: Object.values(agreed.acceptances),
          platformAttestation: newest(agreed).platformAttestation,
        },
      ],
      expiresAt: agreed.expiresAt,
    });
    const texts = [gone.text];
    for (const part of ['/revisions', '/revisions/1']) {
      texts.push(refused(await alpha.get(`${path}${part}`), 410, 'interaction-erased').text);
    }
    for (const part of ['/status', '/acceptances', '/events', '/verification-keys']) {
      const answer = await alpha.get(`${path}${part}`);
      expect(answer.status).toBe(200);
      texts.push(answer.text);
    }
    for (const text of texts) expect(text).not.toContain('leaflet');
    expect((await alpha.get(`${path}/status`)).body['erased']).toBe(true);
    expect(list(await alpha.get(`${path}/events`))).toHaveLength(3);
    refused(await beta.cancel(agreed), 410, 'interaction-erased');
    // A command that was answered before the erasure is not answered with the texts again.
    refused(await beta.accept(pending), 409, 'head-changed');
    refused(await stranger.get(path), 404, 'interaction-not-found');
  });
});
