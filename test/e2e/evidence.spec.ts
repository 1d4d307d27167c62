import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { verifyBundle } from '../../src/audit/verify/verify-bundle.js';
import { parseTrust, type Trust } from '../../src/audit/verify/trust.js';
import type {
  DisclosedEntry,
  EvidenceBundle,
  WithheldEntry,
} from '../../src/kernel/evidence-bundle.js';
import type { FederatedInteraction } from '../../src/kernel/federated-interaction.js';
import type { Scope } from '../../src/kernel/caller.js';
import { encodeBase64Url } from '../../src/kernel/base64url.js';
import { envelopeText } from '../../src/kernel/envelope.js';
import { leafHash } from '../../src/kernel/merkle.js';
import { parseStrictJson } from '../../src/kernel/strict-json.js';
import { RestAgent, signedBody } from '../agents/support/rest-agent.js';
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

  it('nobody without a token', async () => {
    const { status } = await service.call('GET', `${pathOf(agreed)}/evidence`);
    expect(status).toBe(401);
  });

  it.each(['no-id', 'ffffffff-ffff-ffff-ffff-ffffffffffff'])('%s names none', async (id) => {
    const answer = await evidence(alpha, { interactionId: id as never });
    expect(answer.body['code']).toBe('interaction-not-found');
  });
});

describe('events of another tenant’s agent', () => {
  beforeAll(async () => {
    const agent = new RestAgent(service, 'alpha');
    const { body } = await alpha.get(agent.path, { token: alpha.ownerToken });
    const change = { change: 'change-policy', expectedRevision: body['revision'], policy: null };
    const token = await service.token({ ...alpha.ownerToken, scopes: ['agents:write'] });
    const sent = signedBody(change, 'alpha', alpha.key!, service);
    const changed = await service.call('PUT', `${agent.path}/policy`, { token, body: sent });
    if (changed.status !== 200) throw new Error(changed.text);
    await evidence(alpha, await agreement());
  });

  const ofAlpha = async (by: Negotiator, token?: TokenOptions) =>
    bundleOf(await evidence(by, await agreement(), '', token)).streams['agent-alpha'] ?? [];

  it('are withheld, unless they make the history of its keys; that they are there is proved', async () => {
    const told = await ofAlpha(beta);
    const own = await ofAlpha(alpha);
    expect(own.map((entry) => 'envelope' in entry && entry.envelope.type)).toEqual([
      'agent-registered',
      'agent-policy-changed',
    ]);
    const [registered, changed] = told as readonly [DisclosedEntry, WithheldEntry];
    expect(registered.envelope.type).toBe('agent-registered');
    const { envelope } = own[1] as DisclosedEntry;
    expect(changed).toEqual({
      index: own[1]!.index,
      inclusion: expect.any(Array),
      revision: 1,
      leafHash: encodeBase64Url(leafHash(envelopeText(envelope))),
    });
  });

  it('are told to whoever audits every tenant', async () => {
    const told = await ofAlpha(stranger, stranger.colleague('audit:read-all'));
    expect(told.every((entry) => 'envelope' in entry)).toBe(true);
  });

  it('leave a verdict that says what cannot be checked', async () => {
    const bundle = bundleOf(await evidence(beta, await agreement()));
    const { result, checks } = verifyBundle(bundle, await trust());
    expect(result).toBe('not-checkable');
    const reasons = new Set(checks.map(({ reason }) => reason).filter((each) => each !== null));
    expect([...reasons]).toEqual(['events-withheld']);
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

  it('with one that the log has not reached is not there yet', async () => {
    const answer = await evidence(alpha, agreed, '?consistentFrom=999999999');
    expect([answer.status, answer.body['code']]).toEqual([503, 'checkpoint-behind']);
    expect(answer.headers.get('retry-after')).toBe('1');
  });
});
