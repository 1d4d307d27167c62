import { connect } from 'node:net';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { rawRequest } from '../support/raw-http.js';
import { eventually } from '../support/eventually.js';
import { startTestService, type InProcessService } from '../support/service.js';
import { AUDITS_ALL, Auditor, replayedOf, type Replayed, type Sent } from './support/auditor.js';
import { contractOf, documentOf, Negotiator } from './support/negotiator.js';

let service: InProcessService;
let auditor: Auditor;
let alpha: Negotiator;
let beta: Negotiator;

beforeAll(async () => {
  service = await startTestService();
  auditor = new Auditor(service);
  alpha = await Negotiator.register(service, 'agent-alpha');
  beta = await Negotiator.register(service, 'agent-beta');
  await beta.accept(documentOf(await alpha.propose(contractOf([alpha, beta]), beta)));
});

afterAll(async () => {
  await service.dispose();
});

const ids = (events: readonly Replayed[]): readonly string[] => events.map(({ id }) => id);

async function propose(): Promise<string> {
  const answer = await alpha.propose(contractOf([alpha, beta]), beta);
  return `interaction-${documentOf(answer).interactionId}`;
}

/** The first events (others than `caught-up`) of a live stream, which is cut then. */
async function taken(count: number, parameters = '', lastEventId?: string): Promise<Sent[]> {
  const events: Sent[] = [];
  if (count === 0) return events;
  for await (const sent of auditor.live(parameters, lastEventId)) {
    if (sent.type === undefined) events.push(sent);
    if (events.length >= count) break;
  }
  return events;
}

describe('a live stream', () => {
  it('has the headers that streams need', async () => {
    const cut = new AbortController();
    const { headers } = await auditor.open('text/event-stream', '', { signal: cut.signal });
    expect(headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(headers.get('cache-control')).toBe('no-store, no-transform');
    expect(headers.get('x-accel-buffering')).toBe('no');
    expect(headers.get('vary')).toBe('accept');
    cut.abort();
  });

  it('is what pages are, then goes on live', async () => {
    const past = await auditor.pages();
    const seen: Sent[] = [];
    let stream = '';
    for await (const sent of auditor.live()) {
      seen.push(sent);
      if (sent.type === 'caught-up') stream = await propose();
      if (stream !== '' && sent.type === undefined) {
        if (replayedOf(sent).subject === stream) break;
      }
    }
    const events = seen.filter(({ type }) => type === undefined);
    expect(events.slice(0, past.length).map(replayedOf)).toEqual(past);
    expect(events.slice(past.length).map(replayedOf)).toEqual(
      await auditor.pages(`stream=${stream}`),
    );
    expect(events.map(({ id }) => id)).toEqual(events.map((sent) => replayedOf(sent).position));
    const caughtUp = seen.filter(({ type }) => type === 'caught-up');
    expect(caughtUp).toHaveLength(1);
    expect(caughtUp[0]!.id! >= past.at(-1)!.position).toBe(true);
  });

  it('cut after every event, and resumed: each event exactly once', async () => {
    const all = await auditor.pages();
    expect(all.length).toBeGreaterThan(8);
    for (let cut = 1; cut <= all.length; cut++) {
      const first = await taken(cut);
      const rest = await taken(all.length - cut, '', first.at(-1)!.id);
      const seen = [...first, ...rest].map(replayedOf);
      expect([cut, ids(seen)]).toEqual([cut, ids(all)]);
    }
  });

  it('cut after every event while others write: each event exactly once', async () => {
    const start = (await auditor.pages()).at(-1)!.position;
    const writing = Promise.all(Array.from({ length: 12 }, propose));
    const seen: Sent[] = [];
    while (seen.length < 12) {
      seen.push(...(await taken(1, `after=${start}`, seen.at(-1)?.id ?? start)));
    }
    await writing;
    const expected = await auditor.pages(`after=${start}`);
    expect(ids(seen.map(replayedOf))).toEqual(ids(expected));
  });

  it('begins after caught-up, too, and after `after` where no event has been seen', async () => {
    let end: string | undefined;
    for await (const { type, id } of auditor.live()) {
      if (type !== 'caught-up') continue;
      end = id;
      break;
    }
    const stream = await propose();
    for (const [after, lastEventId] of [[undefined, end] as const, [end, undefined] as const]) {
      const parameters = after === undefined ? '' : `after=${after}`;
      const [event] = await taken(1, parameters, lastEventId);
      expect(replayedOf(event!).subject).toBe(stream);
    }
  });

  it('keeps to its filters', async () => {
    const [event] = await taken(1, 'type=revision-attested&agent=agent-beta');
    expect(replayedOf(event!).type).toBe('revision-attested');
  });

  it('shows nobody what pages would not', async () => {
    const stranger = new Auditor(service, { principal: 'x', tenant: 'x', scopes: [] });
    const told: (string | undefined)[] = [];
    for await (const { type } of stranger.live()) {
      told.push(type);
      if (type === 'caught-up') break;
    }
    expect(told).toEqual(['caught-up']);
  });

  it('leaves out no event that came after its client was granted', async () => {
    const delta = await Negotiator.register(service, 'agent-delta', { key: null });
    await delta.changeClients(0, []);
    const { agent: _, ...unbound } = delta.runtimeToken;
    const client = new Auditor(service, unbound);
    const offer = async (): Promise<string> => {
      const answer = await delta.propose(contractOf([delta, beta]), beta, {
        token: delta.ownerToken,
      });
      return `interaction-${documentOf(answer).interactionId}`;
    };
    await offer();
    const told: (string | undefined)[] = [];
    const offered: string[] = [];
    for await (const sent of client.live()) {
      told.push(sent.type ?? replayedOf(sent).subject);
      if (sent.type === 'caught-up') {
        await delta.changeClients(1, [delta.client]);
        offered.push(await offer());
      } else {
        break;
      }
    }
    expect(told).toEqual(['caught-up', ...offered]);
  });

  it.each(['x', '-1', '0'.repeat(40)])(
    'Last-Event-ID %s: position-invalid',
    async (lastEventId) => {
      const response = await auditor.open('text/event-stream', '', { lastEventId });
      expect([response.status, await response.json()]).toEqual([
        400,
        expect.objectContaining({ code: 'position-invalid' }),
      ]);
    },
  );

  it('an empty Last-Event-ID is none', async () => {
    const [event] = await taken(1, '', '');
    expect(replayedOf(event!).position).toBe((await auditor.pages('limit=1'))[0]!.position);
  });
});

describe('an export', () => {
  async function lines(parameters = ''): Promise<readonly Replayed[]> {
    const response = await auditor.open('application/x-ndjson', parameters);
    expect(response.headers.get('content-type')).toBe('application/x-ndjson; charset=utf-8');
    const text = await response.text();
    expect(text === '' || text.endsWith('\n')).toBe(true);
    return text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Replayed);
  }

  it('is what pages are, to the head', async () => {
    expect(await lines()).toEqual(await auditor.pages());
    const [, second] = await auditor.pages();
    const filters = `after=${second!.position}&agent=agent-alpha&texts=false`;
    expect(await lines(filters)).toEqual(await auditor.pages(filters));
    const stream = `stream=${(await auditor.pages('type=revision-attested'))[0]!.subject}`;
    expect(await lines(stream)).toEqual(await auditor.pages(stream));
  });

  it('says to which head, and ends there', async () => {
    const response = await auditor.open('application/x-ndjson');
    const end = response.headers.get('position-token')!;
    const text = await response.text();
    await propose();
    const positions = text
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as Replayed).position);
    expect(positions.every((position) => position <= end)).toBe(true);
    const [next] = await auditor.pages(`after=${end}`);
    expect(positions).not.toContain(next!.position);
  });

  it('of nothing is empty, and whole', async () => {
    expect(await lines('agent=nobody')).toEqual([]);
  });
});

describe('many streams, and the end of a node', () => {
  it('a caller has a bounded number of them, whatever their form', async () => {
    const cut = new AbortController();
    const opened = Array.from({ length: 8 }, () =>
      auditor.open('text/event-stream', '', { signal: cut.signal }),
    );
    expect((await Promise.all(opened)).map(({ status }) => status)).toEqual(Array(8).fill(200));
    for (const form of ['text/event-stream', 'application/x-ndjson'] as const) {
      const refused = await auditor.open(form);
      expect([refused.status, await refused.json()]).toEqual([
        503,
        expect.objectContaining({ code: 'too-many-streams' }),
      ]);
    }
    expect((await auditor.get('limit=1')).status).toBe(200);
    const other = new Auditor(service, { ...AUDITS_ALL, principal: 'another' });
    expect((await other.open('application/x-ndjson')).status).toBe(200);
    cut.abort();
    await eventually(async () => (await auditor.open('application/x-ndjson')).status === 200);
  });

  it('streams end when the node does; readers that read nothing hold nothing up', async () => {
    const node = await startTestService();
    const token = await node.token(AUDITS_ALL);
    const reader = new Auditor(node);
    const live = reader.live();
    await live.next();
    const { hostname, port } = new URL(node.url);
    const idle = connect(Number(port), hostname);
    idle.on('error', () => undefined);
    idle.pause();
    idle.write(
      rawRequest('GET', '/v1/events', [
        `authorization: Bearer ${token}`,
        'accept: text/event-stream',
      ]),
    );
    await once(idle, 'connect');
    const begun = performance.now();
    await Promise.all([
      node.dispose(),
      (async () => {
        // Whatever is left of it; then it ends.
        while ((await live.next()).done !== true);
      })(),
    ]);
    expect(performance.now() - begun).toBeLessThan(5000);
    idle.destroy();
  });

  it('an export that is cut by the end of a node is no whole answer', async () => {
    const node = await startTestService();
    const parties = [
      await Negotiator.register(node, 'agent-alpha'),
      await Negotiator.register(node, 'agent-beta'),
    ] as const;
    // More than fits into the buffers of a connection whose client does not read.
    const purpose = 'x'.repeat(200_000);
    for (let index = 0; index < 60; index++) {
      const terms = contractOf(parties, { purpose });
      expect((await parties[0].propose(terms, parties[1])).status).toBe(201);
    }
    const response = await new Auditor(node).open('application/x-ndjson');
    await node.dispose();
    await expect(response.text()).rejects.toThrow('terminated');
  });
});
