import { hash } from 'node:crypto';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { START, type RecordedEnvelope } from '../../src/event-store/port.js';
import { openSqliteEventStore } from '../../src/event-store/sqlite/sqlite-event-store.js';
import { envelopeText, type EventEnvelope } from '../../src/kernel/envelope.js';
import type { FederatedInteraction } from '../../src/kernel/federated-interaction.js';
import type { Timestamp } from '../../src/kernel/timestamp.js';
import { schemaFaults } from '../support/event-schemas.js';
import { startTestService, type InProcessService } from '../support/service.js';
import { Auditor, AUDITS_ALL, listOf, type Replayed } from './support/auditor.js';
import { contractOf, documentOf, Negotiator, pathOf } from './support/negotiator.js';

let service: InProcessService;
let auditor: Auditor;
let alpha: Negotiator;
let beta: Negotiator;
let gamma: Negotiator;
let completed: FederatedInteraction;
let foreign: FederatedInteraction;

beforeAll(async () => {
  service = await startTestService();
  auditor = new Auditor(service);
  alpha = await Negotiator.register(service, 'agent-alpha');
  beta = await Negotiator.register(service, 'agent-beta');
  gamma = await Negotiator.register(service, 'agent-gamma');
  const proposed = documentOf(await alpha.propose(contractOf([alpha, beta]), beta));
  const active = documentOf(await beta.accept(proposed));
  await alpha.complete(active);
  completed = documentOf(await beta.complete(active));
  foreign = documentOf(await beta.propose(contractOf([beta, gamma]), gamma));
  await gamma.reject(foreign, 'Not at this price.');
});

afterAll(async () => {
  await service.dispose();
});

async function stored(): Promise<readonly RecordedEnvelope[]> {
  const store = await openSqliteEventStore(join(service.folder, 'events.db'));
  try {
    const events: RecordedEnvelope[] = [];
    for await (const event of store.readAll(START)) events.push(event);
    return events;
  } finally {
    await store.close();
  }
}

const AUDITED = /^(agent|interaction|capability|card|invocation|platform-keys)/;

const types = (events: readonly Replayed[]): readonly string[] => events.map(({ type }) => type);
const streams = (events: readonly Replayed[]): ReadonlySet<string> =>
  new Set(events.map(({ subject }) => subject));

describe('a page of the log', () => {
  it('holds the audited streams in log order, each event as it is stored', async () => {
    const events = await auditor.pages('limit=3');
    const expected = (await stored()).filter(({ stream }) => AUDITED.test(stream));
    expect(events.map(({ position }) => position)).toEqual(
      expected.map(({ position }) => position),
    );
    for (const [index, event] of events.entries()) {
      const { type: _, texts: _texts, ...rest } = event.data;
      const { id, type, subject: stream, revision, time } = event;
      const recordedAt = time as Timestamp;
      const envelope = { ...rest, id, type, stream, revision, recordedAt };
      const leaf = (of: object) => hash('sha256', `\0${envelopeText(of as EventEnvelope)}`);
      expect(leaf(envelope)).toBe(leaf(expected[index]!));
    }
  });

  it('is a batch of CloudEvents', async () => {
    const answer = await auditor.get('type=interaction-proposed&limit=1');
    expect(answer.headers.get('content-type')).toBe(
      'application/cloudevents-batch+json; charset=utf-8',
    );
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(listOf(answer)).toEqual([
      {
        specversion: '1.0',
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        source: `${service.audience}/v1/events`,
        type: 'interaction-proposed',
        subject: `interaction-${completed.interactionId}`,
        time: completed.createdAt,
        datacontenttype: 'application/json',
        dataschema: `${service.audience}/schemas/events/interaction-proposed.schema.json`,
        revision: 0,
        position: expect.stringMatching(/^\d{20}$/),
        data: {
          type: 'interaction-proposed',
          schemaVersion: 1,
          data: expect.objectContaining({ interactionId: completed.interactionId }),
          sealed: expect.any(String),
          salt: expect.stringMatching(/^[\w-]{22}$/),
          metadata: expect.objectContaining({ causationId: null }),
          texts: { contract: completed.contract },
        },
      },
    ]);
  });

  it('says how far was looked, and goes on from there', async () => {
    const first = await auditor.get('limit=2');
    const [, second] = listOf(first) as unknown as Replayed[];
    expect(first.headers.get('position-token')).toBe(second!.position);
    expect(first.headers.get('link')).toBe(
      `</v1/events?limit=2&after=${second!.position}>; rel="next"`,
    );
    const all = await auditor.get('limit=1000');
    expect(all.headers.get('link')).toBeNull();
    const end = all.headers.get('position-token')!;
    const none = await auditor.get(`after=${end}`);
    expect([none.status, listOf(none)]).toEqual([200, []]);
    const { headers } = await alpha.propose(contractOf([alpha, gamma]), gamma);
    const news = await auditor.get(`after=${end}`, {
      'position-token': headers.get('position-token')!,
    });
    expect(types(listOf(news) as unknown as Replayed[])).toEqual(['interaction-proposed']);
  });

  it('keeps the filters in the link to the next one', async () => {
    const { headers } = await auditor.get('type=agent-registered&type=agent-retired&limit=1');
    expect(headers.get('link')).toMatch(
      /^<\/v1\/events\?type=agent-registered&type=agent-retired&limit=1&after=\d+>; rel="next"$/,
    );
  });

  it('validates against the schema that each event names', async () => {
    for (const parameters of ['', 'texts=false']) {
      const events = await auditor.pages(parameters);
      expect(events.length).toBeGreaterThan(1);
      for (const { type, dataschema, data } of events) {
        expect(dataschema).toBe(`${service.audience}/schemas/events/${type}.schema.json`);
        expect([type, schemaFaults(type, data)]).toEqual([type, []]);
      }
    }
  });

  it('leaves texts sealed when asked to', async () => {
    const [proposed] = await auditor.pages('type=interaction-proposed&limit=1&texts=false');
    expect(proposed!.data).not.toHaveProperty('texts');
    const [registered] = await auditor.pages('type=agent-registered&texts=false');
    expect(registered!.data.texts).toBeNull();
  });
});

describe('filters', () => {
  it('by stream, exactly', async () => {
    const stream = `interaction-${completed.interactionId}`;
    const events = await auditor.pages(`stream=${stream}&limit=2`);
    expect(events.map(({ revision }) => revision)).toEqual([0, 1, 2, 3, 4, 5]);
    expect(await auditor.pages(`stream=${stream.slice(0, -1)}`)).toEqual([]);
  });

  it('by type, one of several', async () => {
    const events = await auditor.pages('type=revision-rejected&type=interaction-completed');
    expect(types(events)).toEqual(['interaction-completed', 'revision-rejected']);
  });

  it('by agent: what is its own, and what it is party of', async () => {
    const events = await auditor.pages('agent=agent-gamma');
    expect(streams(events)).toContain('agent-agent-gamma');
    expect(streams(events)).toContain(`interaction-${foreign.interactionId}`);
    expect(streams(events)).not.toContain(`interaction-${completed.interactionId}`);
    expect(streams(events)).not.toContain('agent-agent-alpha');
    expect(streams(events)).not.toContain('platform-keys');
  });

  it('by time: since a moment, before a moment', async () => {
    const all = await auditor.pages();
    const moment = foreign.createdAt;
    expect(await auditor.pages(`since=${moment}`)).toEqual(
      all.filter(({ time }) => time >= moment),
    );
    expect(await auditor.pages(`until=${moment}`)).toEqual(all.filter(({ time }) => time < moment));
  });

  it('all of them at once', async () => {
    const events = await auditor.pages(
      `agent=agent-beta&type=interaction-proposed&since=${foreign.createdAt}&after=${START}`,
    );
    expect(streams(events)).toEqual(new Set([`interaction-${foreign.interactionId}`]));
  });
});

describe('who sees what', () => {
  it('audit:read: what concerns the own tenant, and platform keys', async () => {
    const seen = await new Auditor(service, alpha.colleague('audit:read')).pages();
    const all = await auditor.pages();
    const own = new Set(
      [...streams(all)].filter(
        (stream) =>
          !stream.startsWith('agent-agent-b') &&
          !stream.startsWith('agent-agent-g') &&
          stream !== `interaction-${foreign.interactionId}`,
      ),
    );
    expect(streams(seen)).toEqual(own);
    expect(seen).toEqual(all.filter(({ subject }) => own.has(subject)));
  });

  it('without a scope: the interactions that the token acts in, with their texts', async () => {
    const all = await auditor.pages();
    const own = [`interaction-${completed.interactionId}`, `interaction-${foreign.interactionId}`];
    const expected = all.filter(({ subject }) => own.includes(subject));
    for (const token of [beta.runtimeToken, beta.ownerToken]) {
      expect(await new Auditor(service, token).pages()).toEqual(expected);
    }
  });

  it.each(['interactions:read', 'operator:read', 'capabilities:read'] as const)(
    '%s opens nothing',
    async (scope) => {
      expect(await new Auditor(service, alpha.colleague(scope)).pages()).toEqual([]);
    },
  );

  it('nothing of anybody else: an empty page, whatever is asked for', async () => {
    const stranger = { principal: 'x', tenant: 'nobody', scopes: ['audit:read'] };
    for (const parameters of [
      `stream=interaction-${completed.interactionId}`,
      'stream=agent-agent-alpha',
      'agent=agent-alpha',
      'type=agent-registered',
    ]) {
      const answer = await new Auditor(service, stranger).get(parameters);
      expect([answer.status, listOf(answer)]).toEqual([200, []]);
    }
    const keys = await new Auditor(service, stranger).pages();
    expect(streams(keys)).toEqual(new Set(['platform-keys']));
  });

  it('clients as of the Position-Token of the write that granted or withdrew them', async () => {
    const delta = await Negotiator.register(service, 'agent-delta', { key: null });
    const { interactionId } = documentOf(await delta.propose(contractOf([delta, beta]), beta));
    const { agent: _, ...unbound } = delta.runtimeToken;
    const client = new Auditor(service, unbound);
    const seen = async (headers: Readonly<Record<string, string>>): Promise<readonly number[]> => {
      const parameters = `stream=interaction-${interactionId}`;
      const page = await client.get(parameters, headers);
      const lines = await client.open('application/x-ndjson', parameters, { headers });
      const text = await lines.text();
      return [listOf(page).length, text.split('\n').length - 1];
    };
    expect(await seen({})).toEqual([1, 1]);
    for (let change = 0; change < 8; change++) {
      const isGranted = change % 2 === 1;
      const clients = isGranted ? [delta.client] : [];
      const headers = await delta.changeClients(change, clients);
      expect([change, await seen(headers)]).toEqual([change, isGranted ? [1, 1] : [0, 0]]);
    }
  });

  it('nobody without a token', async () => {
    expect((await service.call('GET', '/v1/events')).status).toBe(401);
  });
});

describe('what is refused', () => {
  it.each([
    'limit=0',
    'limit=1001',
    'limit=99999999999999999999',
    'limit=1&limit=2',
    'after=1&after=2',
    'agent=a/b',
    'agent=agent-alpha&agent=agent-beta',
    'type=Interaction',
    'type=a',
    `type=${'a-b'.repeat(40)}`,
    Array.from({ length: 33 }, () => 'type=agent-registered').join('&'),
    'stream=process-expiry',
    'stream=log',
    `stream=interaction-${'a'.repeat(400)}`,
    'since=yesterday',
    'until=2030-01-01',
    'texts=no',
    'cursor=abc',
    'streamPrefix=interaction-',
    '__proto__=1',
    'constructor=1',
  ])('%s: request-invalid', async (parameters) => {
    const { status, body } = await auditor.get(parameters);
    expect([status, body['code']]).toEqual([400, 'request-invalid']);
  });

  it.each(['x', '-1', '12', '', '0'.repeat(40), '9'.repeat(41), `${START}%00`])(
    'after=%s: position-invalid',
    async (after) => {
      const { status, body } = await auditor.get(`after=${after}`);
      expect([status, body['code']]).toEqual([400, 'position-invalid']);
    },
  );

  it('a position that the log does not reach is no empty page', async () => {
    const { status, body } = await auditor.get(`after=${'9'.repeat(20)}`);
    expect([status, body['code']]).toEqual([503, 'projection-behind']);
  });

  it('a malformed Position-Token', async () => {
    const { status, body } = await auditor.get('', { 'position-token': 'x' });
    expect([status, body['code']]).toEqual([400, 'position-invalid']);
  });
});

describe('other requests', () => {
  it('HEAD says what GET would, in every form', async () => {
    const token = await service.token(AUDITS_ALL);
    for (const accept of ['*/*', 'text/event-stream', 'application/x-ndjson']) {
      const answer = await service.call('HEAD', '/v1/events', { token, headers: { accept } });
      expect([accept, answer.status, answer.text]).toEqual([accept, 200, '']);
      expect(answer.headers.get('vary')).toBe('accept');
      if (accept !== '*/*') expect(answer.headers.get('content-type')).toMatch(accept);
    }
  });

  it('If-None-Match changes nothing: a page has no ETag', async () => {
    const answer = await auditor.get('limit=1', { 'if-none-match': '*' });
    expect([answer.status, listOf(answer).length]).toEqual([200, 1]);
    expect(answer.headers.get('etag')).toBeNull();
  });

  it('the events of one interaction keep their own form', async () => {
    const { body } = await alpha.get(`${pathOf(completed)}/events`);
    const [event] = body as unknown as Replayed[];
    expect(Object.keys(event!.data).sort()).toEqual(['data', 'schemaVersion', 'texts', 'type']);
    expect(event!.subject).toBe(completed.interactionId);
  });
});
