import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AUDITED_STREAM_PREFIXES } from '../../src/audit/audited-streams.js';
import { LogReplay } from '../../src/audit/verify/replay/log-replay.js';
import { START } from '../../src/event-store/port.js';
import { openSqliteEventStore } from '../../src/event-store/sqlite/sqlite-event-store.js';
import type { EventEnvelope } from '../../src/kernel/envelope.js';
import type { SampleBackend } from '../invocations/backends/support/sample-backend.js';
import { eventually } from '../support/eventually.js';
import { startTestService, type InProcessService } from '../support/service.js';
import { AgentClient, dataOf, outcomeOf } from './support/direct-calls.js';
import {
  agree,
  callerFor,
  contractSkill,
  FINANCE,
  financeDeployment,
  newPartner,
  registerFinance,
  SCOPE,
  startBackend,
} from './support/finance.js';
import type { Negotiator } from './support/negotiator.js';
import { askedForIn, recordedIn, type Recorded } from './support/recorded.js';

/** Stands in the body of every message and answer here, and nowhere else. */
const MARKER = 'XYZZY-the-body-of-a-message-31337';
const ARGUMENTS = { invoice: MARKER };

let service: InProcessService;
let backend: SampleBackend;
let finance: Negotiator;

beforeAll(async () => {
  backend = await startBackend(() => service);
  service = await startTestService(
    await financeDeployment(backend, [contractSkill('reconcile')], {
      env: { A2A_ANONYMOUS: 'secret' },
    }),
  );
  finance = await registerFinance(service);
});

afterAll(async () => {
  await service.dispose();
  await backend.stop();
});

/** b64u(SHA-256(JCS(…))) of something that JSON.stringify writes as JCS does. */
const digestOf = (canonical: unknown): string =>
  createHash('sha256').update(JSON.stringify(canonical)).digest('base64url');

async function invocationEvents(principal: string): Promise<readonly Recorded[]> {
  const events = await recordedIn(service.folder, 'events.db');
  const streams = new Set(
    events.flatMap(({ stream, data }) => {
      const caller = data['caller'] as { principal?: string } | null | undefined;
      return stream.startsWith('invocation-') && caller?.principal === principal ? [stream] : [];
    }),
  );
  return events.filter(({ stream }) => streams.has(stream));
}

describe('the audited log of calls under contracts', () => {
  it('says of an admission under which terms, by which rule, and what it rests on', async () => {
    const partner = await newPartner(service);
    const first = await agree(partner, finance);
    const terms = { ...first.contract, allowedData: ['invoices', 'payroll'] };
    const revised = await partner.revise(first, terms);
    expect(revised.status).toBeLessThan(300);
    const { body } = await finance.accept(revised.body as never);
    const caller = await callerFor(service, partner);
    const reply = await caller.invoke('reconcile', ARGUMENTS);
    const output = dataOf(reply);
    // The outcome follows the answer.
    await eventually(async () => (await invocationEvents(partner.client)).length > 1);
    const [admitted, ended, ...others] = await invocationEvents(partner.client);
    expect(others).toEqual([]);
    expect(admitted?.type).toBe('invocation-admitted');
    expect(admitted?.data).toMatchObject({
      agentId: FINANCE,
      skillId: 'reconcile',
      handler: 'e2e.scripted',
      caller: {
        principal: partner.client,
        client: partner.client,
        agent: partner.agentId,
        tenant: partner.tenant,
      },
      routing: { layer: 'direct-invoke', confidence: 1 },
      rule: 'allowed-action',
      action: 'reconcile',
      data: ['invoices'],
      terms: {
        interactionId: first.interactionId,
        revision: 2,
        termsHash: (body as { termsHash?: unknown }).termsHash,
      },
      approval: null,
      argumentsDigest: digestOf(ARGUMENTS),
    });
    expect(ended).toMatchObject({
      type: 'invocation-ended',
      data: {
        outcome: 'succeeded',
        resultDigest: digestOf({ arguments: output['arguments'], for: output['for'] }),
      },
    });
    const streams = [
      `interaction-${first.interactionId}`,
      `agent-${partner.agentId}`,
      `agent-${FINANCE}`,
      `capability-${FINANCE}/reconcile`,
    ];
    expect(Object.keys(admitted?.basedOn ?? {}).sort()).toEqual(streams.sort());
  });

  it('holds a routed message and its digest alike', async () => {
    const partner = await newPartner(service);
    await agree(partner, finance);
    const caller = await callerFor(service, partner);
    expect(outcomeOf(await caller.route('reconcile', undefined, MARKER))).toBe('COMPLETED');
    const [admitted] = await invocationEvents(partner.client);
    expect(admitted?.data).toMatchObject({ rule: 'allowed-action', terms: { revision: 1 } });
    expect(String(admitted?.data['argumentsDigest'])).toMatch(/^[\w-]{43}$/);
    expect(admitted?.data['argumentsDigest']).not.toBe(digestOf(ARGUMENTS));
  });

  it('holds refusals of parties of a contract, and of nobody else', async () => {
    const party = await newPartner(service);
    const document = await agree(party, finance);
    await party.cancel(document);
    const caller = await callerFor(service, party);
    expect(outcomeOf(await caller.invoke('reconcile', ARGUMENTS))).toBe(
      'FORBIDDEN contract-required',
    );
    expect(outcomeOf(await caller.route('reconcile', undefined, MARKER))).toBe('contract-required');
    await eventually(async () => (await invocationEvents(party.client)).length === 2);
    const refused = await invocationEvents(party.client);
    for (const { type, data } of refused) {
      expect(type).toBe('invocation-refused');
      expect(data).toMatchObject({ code: 'contract-required', skillId: 'reconcile' });
      expect(String(data['argumentsDigest'])).toMatch(/^[\w-]{43}$/);
    }
    expect(refused.map(({ data }) => data['argumentsDigest'])).toContain(digestOf(ARGUMENTS));

    const stranger = await newPartner(service);
    const strangers = await callerFor(service, stranger);
    const before = (await askedForIn(service.folder, 'events.db')).length;
    expect(outcomeOf(await strangers.invoke('reconcile', ARGUMENTS))).toMatch(/^FORBIDDEN/);
    expect(outcomeOf(await strangers.invoke('nowhere', ARGUMENTS))).toBe('SKILL_NOT_FOUND');
    const bystander = await service.token({ principal: 'bystander', scopes: [SCOPE] });
    const alone = new AgentClient(service, FINANCE, bystander);
    expect(outcomeOf(await alone.invoke('reconcile', ARGUMENTS))).toBe('FORBIDDEN agent-required');
    const nobody = new AgentClient(service, FINANCE, undefined);
    expect(outcomeOf(await nobody.invoke('reconcile', ARGUMENTS))).toBe('SKILL_NOT_FOUND');
    // A refusal of a party is recorded in the background: so one more, which is waited for.
    await caller.invoke('reconcile', ARGUMENTS);
    await eventually(async () => (await invocationEvents(party.client)).length === 3);
    expect((await askedForIn(service.folder, 'events.db')).length).toBe(before + 1);
  });

  it('holds no body of a message in any of its bytes, of calls that ran, failed or were refused', async () => {
    const partner = await newPartner(service);
    await agree(partner, finance);
    const caller = await callerFor(service, partner);
    backend.replies.push((_, response) => response.writeHead(500).end(MARKER));
    expect(outcomeOf(await caller.invoke('reconcile', ARGUMENTS))).toMatch(/^BACKEND_/);
    const unfit = { ...ARGUMENTS, other: MARKER };
    expect(outcomeOf(await caller.invoke('reconcile', unfit))).toBe('INVALID_ARGUMENTS');
    const holding = await filesWith(MARKER);
    // Tasks keep bodies, so that the search is known to find what is there.
    expect(holding.filter((name) => name.startsWith('tasks'))).not.toEqual([]);
    expect(holding.filter((name) => !name.startsWith('tasks'))).toEqual([]);
  });

  it('is found to be right by whoever recomputes it, ids of every kind of stream included', async () => {
    const card = await service.call('GET', `/a2a/${FINANCE}/.well-known/agent-card.json`);
    expect(card.status).toBe(200);
    const events = await auditedEvents();
    const proposed = events.find(({ type }) => type === 'interaction-proposed');
    const audience = String(proposed?.data['audience']);
    const replay = new LogReplay({ audience });
    const results = events.flatMap((envelope, index) => replay.add({ index, envelope }));
    expect(results.filter(({ result }) => result === 'failed')).toEqual([]);

    for (const prefix of AUDITED_STREAM_PREFIXES) {
      const [first, other] = events.filter(({ stream }) => stream.startsWith(prefix));
      // The id of another event.
      const envelope = { ...first, id: (other ?? proposed)?.id };
      const found = new LogReplay({ audience }).add({ index: 0, envelope });
      expect([prefix, found[0]?.reason]).toEqual([prefix, 'event-id-wrong']);
    }
  });
});

async function auditedEvents(): Promise<readonly EventEnvelope[]> {
  const store = await openSqliteEventStore(join(service.folder, 'events.db'));
  try {
    const events: EventEnvelope[] = [];
    for await (const { position: _, ...envelope } of store.readAll(START)) {
      if (AUDITED_STREAM_PREFIXES.some((each) => envelope.stream.startsWith(each))) {
        events.push(envelope);
      }
    }
    return events;
  } finally {
    await store.close();
  }
}

/** Names of the service's files that hold these bytes. */
async function filesWith(text: string): Promise<readonly string[]> {
  const entries = await readdir(service.folder, { withFileTypes: true, recursive: true });
  const found: string[] = [];
  for (const entry of entries.filter((each) => each.isFile())) {
    const bytes = await readFile(join(entry.parentPath, entry.name));
    if (bytes.includes(text)) found.push(entry.name);
  }
  return found;
}
