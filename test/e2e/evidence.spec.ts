import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { verifyBundle } from '../../src/audit/verify/verify-bundle.js';
import { parseTrust, type Trust } from '../../src/audit/verify/trust.js';
import type { DisclosedEntry, EvidenceBundle } from '../../src/kernel/evidence-bundle.js';
import type { FederatedInteraction } from '../../src/kernel/federated-interaction.js';
import type { Scope } from '../../src/kernel/caller.js';
import { parseStrictJson } from '../../src/kernel/strict-json.js';
import { testKey } from '../agents/support/agents.js';
import { keyMember, RestAgent, signedBody } from '../agents/support/rest-agent.js';
import { eventually } from '../support/eventually.js';
import {
  startTestService,
  type Answer,
  type InProcessService,
  type TokenOptions,
} from '../support/service.js';
import { contractOf, documentOf, Negotiator, pathOf } from './support/negotiator.js';

const PURPOSE = 'XYZZY-what-only-the-parties-know';
const LIMITS = { maxBytes: 64 * 1024 * 1024, maxDepth: 64, maxValues: Infinity };

let service: InProcessService;
let alpha: Negotiator;
let beta: Negotiator;
let stranger: Negotiator;
let agreed: FederatedInteraction;

beforeAll(async () => {
  service = await startTestService({ env: { LOG_CHECKPOINT_SECONDS: '3600' } });
  alpha = await Negotiator.register(service, 'alpha');
  beta = await Negotiator.register(service, 'beta');
  stranger = await Negotiator.register(service, 'stranger');
  agreed = await agreement();
  // The tree is built on a thread of its own, which a busy machine may start late.
  await eventually(async () => (await evidence(alpha)).status === 200, 20_000);
});

afterAll(async () => {
  await service.dispose();
});

async function agreement(): Promise<FederatedInteraction> {
  const proposed = await alpha.propose(contractOf([alpha, beta], { purpose: PURPOSE }), beta);
  return documentOf(await beta.accept(documentOf(proposed)));
}

function evidence(
  by: Negotiator,
  of: Pick<FederatedInteraction, 'interactionId'> = agreed,
  query = '',
  token: TokenOptions = by.runtimeToken,
): Promise<Answer> {
  return by.get(`${pathOf(of)}/evidence${query}`, { token });
}

function bundleOf(answer: Answer): EvidenceBundle {
  if (answer.status !== 200) throw new Error(answer.text);
  const parsed = parseStrictJson(Buffer.from(answer.text), LIMITS);
  if (!parsed.ok) throw new Error(parsed.error.code);
  return parsed.value as unknown as EvidenceBundle;
}

/** What an auditor brings along: the key of the log, as it was given to them. */
async function trust(): Promise<Trust> {
  const { body } = await service.call('GET', '/v1/log');
  return trusting(String(body['verifierKey']));
}

function trusting(text: string): Trust {
  const given = parseTrust(text);
  if (given === undefined) throw new Error(`nothing to trust: ${text}`);
  return 'key' in given
    ? { keys: [given.key], checkpoints: [], witnesses: [] }
    : { keys: [], checkpoints: [given.checkpoint], witnesses: [] };
}

describe('an auditor with a bundle and a key of the log', () => {
  it('reaches the verdict of the service', async () => {
    const answer = await evidence(alpha);
    const bundle = bundleOf(answer);
    const { result, checks, state } = verifyBundle(bundle, await trust());
    expect(checks.filter((check) => check.result !== 'verified')).toEqual([]);
    expect(result).toBe('verified');
    const { body: status } = await alpha.get(`${pathOf(agreed)}/status`);
    expect(state).toMatchObject({ interactionId: agreed.interactionId, status: status['status'] });
    expect(bundle.document).toEqual(agreed);
    expect(Object.keys(bundle.streams)).toEqual([
      `interaction-${agreed.interactionId}`,
      'agent-alpha',
      'agent-beta',
      'platform-keys',
    ]);
  });

  it('gets a file that nobody keeps on its way', async () => {
    const { headers } = await evidence(beta);
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(headers.get('content-disposition')).toBe(
      `attachment; filename="evidence-${agreed.interactionId}.json"`,
    );
    expect(headers.get('cache-control')).toBe('no-store');
  });

  it('sees what came last, also when its checkpoint is not due for an hour', async () => {
    const ended = documentOf(await beta.cancel(await agreement(), 'Because'));
    const bundle = bundleOf(await evidence(alpha, ended));
    expect(bundle.document).toEqual(ended);
    expect(verifyBundle(bundle, await trust())).toMatchObject({
      result: 'verified',
      state: { status: 'cancelled' },
    });
  });

  it('finds one changed member', async () => {
    const bundle = bundleOf(await evidence(alpha));
    const name = `interaction-${agreed.interactionId}`;
    const [first, ...rest] = bundle.streams[name] as readonly DisclosedEntry[];
    const envelope = { ...first!.envelope, recordedAt: '2020-01-01T00:00:00.000Z' };
    const streams = { ...bundle.streams, [name]: [{ ...first, envelope }, ...rest] };
    const { result, checks } = verifyBundle({ ...bundle, streams }, await trust());
    expect(result).toBe('failed');
    expect(checks).toContainEqual(
      expect.objectContaining({ check: 'inclusion', reason: 'not-included' }),
    );
  });
});

describe('who gets a bundle', () => {
  const of = (who: () => Negotiator, ...scopes: Scope[]) => ({
    who,
    token: () => who().colleague(...scopes),
  });

  it.each([
    ['the runtime of a party', { who: () => beta, token: () => beta.runtimeToken }],
    ['the owner of a party', { who: () => alpha, token: () => alpha.ownerToken }],
    ['a reader of a party’s tenant', of(() => alpha, 'interactions:read')],
    ['an auditor of a party’s tenant', of(() => beta, 'audit:read')],
    ['an operator', of(() => stranger, 'operator:read')],
    ['an auditor of everything', of(() => stranger, 'audit:read-all')],
  ])('%s does, with the key of the texts', async (_, { who, token }) => {
    const bundle = bundleOf(await evidence(who(), agreed, '', token()));
    expect(bundle.dataKey).toMatch(/^[A-Za-z0-9_-]{43}$/);
  });

  it.each([
    ['another agent', { who: () => stranger, token: () => stranger.runtimeToken }],
    ['an auditor of another tenant', of(() => stranger, 'audit:read')],
    ['a reader of another tenant', of(() => stranger, 'interactions:read')],
    ['a colleague without a scope', of(() => alpha)],
  ])(
    '%s gets what they would get of an interaction that does not exist',
    async (_, { who, token }) => {
      const foreign = await evidence(who(), agreed, '', token());
      const unknown = await evidence(
        who(),
        { interactionId: '7c9e6679-7425-40de-944b-e07fc1f90ae7' as never },
        '',
        token(),
      );
      expect([foreign.status, foreign.body['code']]).toEqual([404, 'interaction-not-found']);
      const { instance: a, correlationId: b, ...told } = foreign.body;
      const { instance: c, correlationId: d, ...toldOfNone } = unknown.body;
      expect([a, b, c, d].every((each) => typeof each === 'string')).toBe(true);
      expect(told).toEqual(toldOfNone);
    },
  );

  it('each two at a time, as often as it likes', async () => {
    // All of them wait for a checkpoint over it.
    const fresh = await agreement();
    const answers = await Promise.all(
      Array.from({ length: 12 }, async () => evidence(alpha, fresh)),
    );
    const refused = answers.filter(({ status }) => status !== 200);
    expect(refused.length).toBeGreaterThan(0);
    expect(refused.length).toBeLessThanOrEqual(10);
    for (const { status, body } of refused) {
      expect([status, body['code']]).toEqual([503, 'too-many-streams']);
    }
    for (let nth = 0; nth < 4; nth++) expect((await evidence(alpha, fresh)).status).toBe(200);
  });

  it('not at all when they are gone before it is sent, and the next one does', async () => {
    const token = await service.token(alpha.runtimeToken);
    for (let nth = 0; nth < 4; nth++) {
      const fresh = await agreement();
      const gone = new AbortController();
      const asked = fetch(`${service.url}${pathOf(fresh)}/evidence`, {
        headers: { authorization: `Bearer ${token}` },
        signal: gone.signal,
      });
      setTimeout(() => {
        gone.abort();
      }, 20);
      await Promise.allSettled([asked]);
    }
    await eventually(async () => (await evidence(alpha)).status === 200);
    expect(
      (await Promise.all([evidence(alpha), evidence(alpha)])).map(({ status }) => status),
    ).toEqual([200, 200]);
  });

  it('nobody without a token', async () => {
    const { status } = await service.call('GET', `${pathOf(agreed)}/evidence`);
    expect(status).toBe(401);
  });

  it.each(['no-id', 'ffffffff-ffff-ffff-ffff-ffffffffffff'])('%s names none', async (id) => {
    const answer = await evidence(alpha, { interactionId: id as never });
    expect(answer.body['code']).toBe('interaction-not-found');
  });
});

describe('a party that has changed its agent', () => {
  const SECRET = 'XYZZY-what-it-would-take';
  const policy = { taskCategories: [SECRET], allowedActions: ['x'], maxRetentionDays: 1 };
  let later: FederatedInteraction;

  const change = async (
    content: Readonly<Record<string, unknown>>,
    member: string,
  ): Promise<void> => {
    const agent = new RestAgent(service, 'alpha');
    const { body } = await alpha.get(agent.path, { token: alpha.ownerToken });
    const sent = { ...content, expectedRevision: body['revision'] };
    const token = await service.token({ ...alpha.ownerToken, scopes: ['agents:write'] });
    const signed = signedBody(sent, 'alpha', alpha.key!, service);
    const changed = await service.call('PUT', `${agent.path}/${member}`, { token, body: signed });
    if (changed.status !== 200) throw new Error(changed.text);
  };
  const typesOf = ({ streams }: EvidenceBundle): readonly (string | null)[] =>
    (streams['agent-alpha'] ?? []).map((entry) =>
      'envelope' in entry ? entry.envelope.type : null,
    );
  const CHANGED = ['agent-registered', 'agent-policy-changed', 'agent-clients-changed'];

  beforeAll(async () => {
    await change({ change: 'change-policy', policy }, 'policy');
    await change({ change: 'change-clients', clients: [alpha.client] }, 'clients');
    later = await agreement();
  });

  it('does not spoil the evidence of its counterpart', async () => {
    const bundle = bundleOf(await evidence(beta, later));
    expect(typesOf(bundle)).toEqual(CHANGED);
    const { result, checks } = verifyBundle(bundle, await trust());
    expect(checks.filter((check) => check.result !== 'verified')).toEqual([]);
    expect(result).toBe('verified');
  });

  it.each([
    ['its counterpart', () => beta, () => beta.runtimeToken],
    ['itself', () => alpha, () => alpha.runtimeToken],
    ['an auditor of everything', () => stranger, () => stranger.colleague('audit:read-all')],
  ])('tells %s that there is a policy; what it would take no file says', async (_, who, token) => {
    const answer = await evidence(who(), later, '', token());
    const bundle = bundleOf(answer);
    expect(typesOf(bundle)).toEqual(CHANGED);
    const [, changed] = bundle.streams['agent-alpha'] as readonly DisclosedEntry[];
    expect(changed!.envelope.data['hasPolicy']).toBe(true);
    expect(answer.text).not.toContain(SECRET);
  });

  it('shows its policy to its own tenant, in the log', async () => {
    const read = async (by: Negotiator) =>
      (
        await service.call('GET', '/v1/events?stream=agent-alpha', {
          token: await service.token(by.colleague('audit:read')),
        })
      ).text;
    expect(await read(alpha)).toContain(SECRET);
    expect(await read(beta)).not.toContain('agent-policy-changed');
  });

  it('afterwards, does not make earlier evidence longer', async () => {
    const before = bundleOf(await evidence(beta, later)).streams;
    await change({ change: 'change-policy', policy: null }, 'policy');
    expect(Object.keys(bundleOf(await evidence(beta, await agreement())).streams)).toHaveLength(4);
    const after = bundleOf(await evidence(beta, later)).streams;
    for (const [stream, entries] of Object.entries(before)) {
      expect([stream, after[stream]?.length]).toEqual([stream, entries.length]);
    }
  });
});

describe('a party that changes its agent again and again', () => {
  const CHANGES = 200;
  /** As much as a policy may hold. */
  const words = Array.from({ length: 100 }, (_, nth) => `${'x'.repeat(18)}${String(nth)}`);

  it('gives its counterpart a long bundle, whole and in order, while others are served', async () => {
    const many = await Negotiator.register(service, 'many');
    const token = await service.token({ ...many.ownerToken, scopes: ['agents:write'] });
    for (let nth = 0; nth < CHANGES; nth++) {
      const policy = { taskCategories: words, allowedActions: words, maxRetentionDays: nth };
      const sent = { change: 'change-policy', policy, expectedRevision: nth };
      const body = signedBody(sent, 'many', many.key!, service);
      const { status, text } = await service.call('PUT', '/v1/agents/many/policy', { token, body });
      if (status !== 200) throw new Error(text);
    }
    const proposed = await alpha.propose(contractOf([alpha, many]), many);
    const agreed = documentOf(await many.accept(documentOf(proposed)));
    let isOver = false;
    let served = 0;
    const others = (async () => {
      while (!isOver) {
        expect((await service.call('GET', '/v1/log')).status).toBe(200);
        served++;
      }
    })();
    const [one, two] = await Promise.all([evidence(alpha, agreed), evidence(many, agreed)]);
    isOver = true;
    await others;
    expect(served).toBeGreaterThan(5);
    for (const answer of [one, two]) {
      const entries = bundleOf(answer).streams['agent-many'] as readonly DisclosedEntry[];
      expect(entries.map(({ envelope }) => envelope.revision)).toEqual(
        Array.from({ length: CHANGES + 1 }, (_, revision) => revision),
      );
    }
    expect(verifyBundle(bundleOf(one), await trust()).result).toBe('verified');
  });
});

describe('a party to whose agent a key was added that none of its keys signed', () => {
  it('does not spoil the evidence of its counterpart either', async () => {
    const agent = new RestAgent(service, beta.agentId);
    const { body } = await beta.get(agent.path, { token: beta.ownerToken });
    const content = {
      change: 'add-key',
      key: keyMember(testKey('beta#unsigned', 77), beta.agentId, service),
      expectedRevision: body['revision'],
    };
    const added = await agent.change('POST', '/keys', content, undefined, {
      ...beta.ownerToken,
      scopes: ['agents:admin'],
    });
    expect([added.status, added.text]).toEqual([200, expect.stringContaining('beta#unsigned')]);
    const bundle = bundleOf(await evidence(alpha, await agreement()));
    const { result, checks } = verifyBundle(bundle, await trust());
    expect(checks.filter((check) => check.result !== 'verified')).toEqual([]);
    expect(result).toBe('verified');
    expect(checks).toContainEqual(
      expect.objectContaining({ check: 'change', subject: 'agent-beta@1, owner-admin' }),
    );
  });
});

describe('a node without a key for checkpoints', () => {
  it('says that none will come, and not to try again', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'countersign-no-checkpoints-'));
    const file = join(folder, 'keys.jwks.json');
    const keys = ['attestation', 'card'].map((purpose) => ({
      ...generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' }),
      kid: purpose,
      purpose,
    }));
    await writeFile(file, JSON.stringify({ keys }), { mode: 0o600 });
    const node = await startTestService({
      env: { PLATFORM_KEYS: file, LOG_CHECKPOINT_SECONDS: '3600' },
    });
    try {
      const [one, two] = [
        await Negotiator.register(node, 'one'),
        await Negotiator.register(node, 'two'),
      ];
      const proposed = documentOf(await one.propose(contractOf([one, two]), two));
      const ask = () => one.get(`${pathOf(proposed)}/evidence`, { token: one.runtimeToken });
      await eventually(async () => (await ask()).body['code'] === 'checkpoint-key-missing', 20_000);
      const { status, headers } = await ask();
      expect([status, headers.get('retry-after')]).toEqual([501, null]);
    } finally {
      await node.dispose();
      await rm(folder, { recursive: true, force: true });
    }
  });
});

describe('a bundle without texts', () => {
  it('holds no word of them, nor what opens them', async () => {
    const answer = await evidence(alpha, agreed, '?texts=false');
    const bundle = bundleOf(answer);
    expect([bundle.document, bundle.dataKey]).toEqual([null, null]);
    expect(answer.text).not.toContain(PURPOSE);
    const { result, checks } = verifyBundle(bundle, await trust());
    expect(result).toBe('not-checkable');
    expect(checks.filter((check) => check.result === 'failed')).toEqual([]);
  });

  it.each([
    '?texts=no',
    '?texts=',
    '?consistentFrom=0',
    '?consistentFrom=1e3',
    '?consistentFrom=-1',
  ])('%s is refused', async (query) => {
    const answer = await evidence(alpha, agreed, query);
    expect([answer.status, answer.body['code']]).toEqual([400, 'request-invalid']);
  });

  it('is all that remains after an erasure', async () => {
    const ended = documentOf(await beta.cancel(await agreement()));
    await alpha.consentToErasure(ended);
    await beta.consentToErasure(ended);
    await eventually(async () => (await alpha.get(pathOf(ended))).status === 410);
    const answer = await evidence(alpha, ended);
    const bundle = bundleOf(answer);
    expect([bundle.document, bundle.dataKey]).toEqual([null, null]);
    const { result, checks, state } = verifyBundle(bundle, await trust());
    expect(checks.filter((check) => check.result === 'failed')).toEqual([]);
    expect([result, state?.status]).toEqual(['not-checkable', 'cancelled']);
    const open = checks.filter((check) => check.result === 'not-checkable');
    expect(new Set(open.map(({ reason }) => reason))).toEqual(new Set(['erased']));
  });
});

describe('consistency with an earlier checkpoint', () => {
  it('is proved to whoever trusts nothing but that one', async () => {
    const { text: kept } = await service.call('GET', '/log/checkpoint');
    const size = Number(kept.split('\n')[1]);
    const later = await agreement();
    const bundle = bundleOf(await evidence(alpha, later, `?consistentFrom=${String(size)}`));
    expect(bundle.consistency).toMatchObject({ from: size });
    const { checks } = verifyBundle(bundle, trusting(kept));
    expect(checks).toContainEqual(
      expect.objectContaining({ check: 'consistency', result: 'verified' }),
    );
  });

  it('with one that the log has not reached is refused for good, with the size that it has', async () => {
    const answer = await evidence(alpha, agreed, '?consistentFrom=999999999');
    expect([answer.status, answer.body['code']]).toEqual([404, 'beyond-checkpoint']);
    expect(answer.headers.get('retry-after')).toBeNull();
    const { text } = await service.call('GET', '/log/checkpoint');
    expect(answer.body['detail']).toContain(` has ${String(text.split('\n')[1])} entries`);
  });

  it('with one that is published while it waits, is proved', async () => {
    const size = async () =>
      Number((await service.call('GET', '/log/checkpoint')).text.split('\n')[1]);
    const before = await size();
    const waiting = evidence(alpha, agreed, `?consistentFrom=${String(before + 1)}`);
    // Its own evidence has a later checkpoint signed.
    expect((await evidence(beta, await agreement())).status).toBe(200);
    expect(await size()).toBeGreaterThan(before);
    expect(bundleOf(await waiting).consistency).toMatchObject({ from: before + 1 });
  });
});

it('a stored event that was changed by hand is not left out', async () => {
  const interaction = await agreement();
  expect((await evidence(alpha, interaction)).status).toBe(200);
  await service.stop();
  const file = new Database(join(service.folder, 'events.db'));
  const { changes } = file
    .prepare(
      `UPDATE events SET body = json_set(body, '$.metadata.traceparent', 'changed')
       WHERE revision = 0 AND stream = (SELECT number FROM streams WHERE name = ?)`,
    )
    .run(`interaction-${interaction.interactionId}`);
  file.close();
  expect(changes).toBe(1);
  await service.start();
  let answer = await evidence(alpha, interaction);
  await eventually(async () => {
    answer = await evidence(alpha, interaction);
    return answer.body['code'] !== 'checkpoint-behind';
  }, 20_000);
  expect([answer.status, answer.body['code']]).toEqual([503, 'log-inconsistent']);
  expect(answer.headers.get('retry-after')).toBeNull();
});
