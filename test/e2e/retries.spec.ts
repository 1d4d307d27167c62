import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import type { FederatedInteraction } from '../../src/kernel/federated-interaction.js';
import { startTestService, type Answer, type InProcessService } from '../support/service.js';
import { emitted, eventTypes, refused } from './support/expectations.js';
import { contractOf, documentOf, Negotiator, newest, pathOf } from './support/negotiator.js';

let service: InProcessService;
let alpha: Negotiator;
let beta: Negotiator;

beforeAll(async () => {
  service = await startTestService();
  alpha = await Negotiator.register(service, 'alpha');
  beta = await Negotiator.register(service, 'beta');
});

afterAll(async () => {
  await service.dispose();
});

/** One command, ready to be sent any number of times. */
interface Sendable {
  readonly who: Negotiator;
  readonly path: string;
  readonly body: object;
}

const send = (
  { who, path, body }: Sendable,
  key: string | null,
  more: object = {},
): Promise<Answer> =>
  who.post(path, { ...body, ...more }, { headers: key === null ? {} : { 'idempotency-key': key } });

const propose = async (): Promise<FederatedInteraction> =>
  documentOf(await alpha.propose(contractOf([alpha, beta]), beta));

const accepted = async (): Promise<FederatedInteraction> =>
  documentOf(await beta.accept(await propose()));

/** Every command, on an interaction of its own that is ready for it. */
const COMMANDS: readonly [string, () => Promise<Sendable>][] = [
  [
    'propose',
    async () =>
      Promise.resolve({
        who: alpha,
        path: '/v1/interactions',
        body: alpha.proposal(contractOf([alpha, beta]), beta),
      }),
  ],
  [
    'revise',
    async () => {
      const document = await propose();
      const terms = { ...newest(document).contract, retentionDays: 2 };
      return on(document, 'revisions', beta, beta.revision(document, terms));
    },
  ],
  [
    'accept',
    async () => {
      const document = await propose();
      return on(document, 'acceptances', beta, beta.consent(document));
    },
  ],
  [
    'reject',
    async () => {
      const document = await propose();
      return on(document, 'rejections', beta, beta.rejection(document, 'no'));
    },
  ],
  [
    'withdraw',
    async () => {
      const document = await propose();
      return on(document, 'withdrawal', alpha, alpha.withdrawal(document));
    },
  ],
  [
    'cancel',
    async () => {
      const document = await accepted();
      return on(document, 'cancellation', beta, beta.cancellation(document, 'enough'));
    },
  ],
  [
    'complete',
    async () => {
      const document = await accepted();
      return on(document, 'completion', beta, beta.completion(document));
    },
  ],
];

function on(document: FederatedInteraction, act: string, who: Negotiator, body: object): Sendable {
  return { who, path: `${pathOf(document)}/${act}`, body };
}

function byAct(act: string, document: FederatedInteraction): Sendable {
  const { contract } = newest(document);
  switch (act) {
    case 'revisions':
      return on(document, act, beta, beta.revision(document, { ...contract, retentionDays: 2 }));
    case 'acceptances':
      return on(document, act, beta, beta.consent(document));
    case 'rejections':
      return on(document, act, beta, beta.rejection(document, 'no'));
    case 'withdrawal':
      return on(document, act, alpha, alpha.withdrawal(document));
    case 'cancellation':
      return on(document, act, beta, beta.cancellation(document, 'enough'));
    default:
      return on(document, act, beta, beta.completion(document));
  }
}

/** The parts of an ETag that a command looks at. */
function headIn(etag: string): string {
  return etag.split('.').slice(2).join('.');
}

function sameAnswer(again: Answer, first: Answer): void {
  expect(again.text).toBe(first.text);
  expect(again.status).toBe(first.status);
  expect(again.headers.get('idempotency-replayed')).toBe('true');
  for (const name of ['etag', 'position-token', 'location', 'content-type']) {
    expect(again.headers.get(name)).toBe(first.headers.get(name));
  }
}

/** Something that a party does afterwards, so that the head is another; nothing once it has ended. */
async function moveOn(interactionId: string): Promise<void> {
  const document = documentOf(await alpha.get(pathOf({ interactionId })));
  if (document.status !== 'pending' && document.status !== 'active') return;
  const terms = { ...newest(document).contract, retentionDays: 77 };
  emitted(await alpha.revise(document, terms), 201);
}

describe('case 11: a command sent twice', () => {
  it.each(COMMANDS)(
    '%s: gives the first answer again, also after other events and a restart',
    async (_, make) => {
      const keyed = await make();
      const unkeyed = await make();
      const key = randomUUID();
      const firstKeyed = await send(keyed, key);
      const firstUnkeyed = await send(unkeyed, null);
      emitted(firstKeyed, firstKeyed.status);
      expect(firstKeyed.headers.get('idempotency-replayed')).toBeNull();
      const ids = [firstKeyed, firstUnkeyed].map(({ body }) => String(body['interactionId']));

      sameAnswer(await send(keyed, key), firstKeyed);
      sameAnswer(await send(unkeyed, null), firstUnkeyed);
      for (const id of ids) await moveOn(id);
      const events = async (): Promise<unknown> =>
        Promise.all(ids.map((interactionId) => eventTypes({ interactionId }, alpha)));
      const before = await events();
      sameAnswer(await send(keyed, key), firstKeyed);
      sameAnswer(await send(unkeyed, null), firstUnkeyed);
      await service.restart();
      sameAnswer(await send(keyed, key), firstKeyed);
      sameAnswer(await send(unkeyed, null), firstUnkeyed);
      expect(await events()).toEqual(before);
    },
    60_000,
  );

  it.each(COMMANDS)('%s: with another body under the same key is refused', async (_, make) => {
    const command = await make();
    const key = randomUUID();
    expect((await send(command, key)).status).toBeLessThan(300);
    const other = 'expiresAt' in command.body ? { termsHash: undefined } : { reason: 'another' };
    const more =
      'report' in command.body || 'acceptance' in command.body
        ? { ...other, reason: undefined, acceptance: undefined, signature: undefined }
        : other;
    refused(await send(command, key, more), 422, 'idempotency-key-reused');
  });

  it.each(['revisions', 'acceptances', 'rejections', 'withdrawal', 'cancellation', 'completion'])(
    '%s: with another head in If-Match under the same key is refused',
    async (act) => {
      const onAgreed = act === 'cancellation' || act === 'completion';
      const document = onAgreed ? await accepted() : await propose();
      const { who, path, body } = byAct(act, document);
      const { head, ...rest } = body as { head: object };
      expect(head).toBeDefined();
      const etagNow = async (): Promise<string> =>
        (await alpha.get(pathOf(document))).headers.get('etag') ?? '';
      const etag = await etagNow();
      const key = randomUUID();
      const post = (ifMatch: string, sent: object = rest): Promise<Answer> =>
        who.post(path, sent, { headers: { 'idempotency-key': key, 'if-match': ifMatch } });
      const first = await post(etag);
      emitted(first, first.status);
      sameAnswer(await post(etag), first);
      // A version that has passed meanwhile is no other head.
      sameAnswer(await post(etag.replace(/^"\d+\./, '"0.')), first);
      const [old, now] = [etag.replace(/\.(\d+)\.(\w+)\./, '.9.$2.'), await etagNow()];
      refused(await post(old), 422, 'idempotency-key-reused');
      const isSameHead = headIn(now) === headIn(etag);
      if (isSameHead) sameAnswer(await post(now), first);
      else refused(await post(now), 422, 'idempotency-key-reused');
      // Named in the body as well, it is another body.
      refused(await post(etag, { ...rest, head }), 422, 'idempotency-key-reused');
      await service.restart();
      sameAnswer(await post(etag), first);
      refused(await post(old), 422, 'idempotency-key-reused');
    },
    60_000,
  );

  it('fired ten times at once is recorded once, and every answer is the same', async () => {
    for (const [, make] of COMMANDS) {
      const command = await make();
      const key = randomUUID();
      const answers = await Promise.all(Array.from({ length: 10 }, () => send(command, key)));
      const [first] = answers;
      for (const answer of answers) {
        expect([answer.status, answer.text]).toEqual([first?.status, first?.text]);
      }
      const id = String(first?.body['interactionId']);
      const events = await eventTypes({ interactionId: id }, alpha);
      const version = /^"(\d+)\./.exec(first?.headers.get('etag') ?? '')?.[1];
      expect(String(events.length)).toBe(version);
    }
  }, 60_000);

  it('keeps one key on two interactions apart: no id is given twice', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    const make = (): Promise<Answer> => alpha.propose(contractOf([alpha, beta]), beta, { headers });
    const documents = [documentOf(await make()), documentOf(await make())];
    expect(new Set(documents.map(({ interactionId }) => interactionId)).size).toBe(2);
    expect(new Set(documents.map((document) => newest(document).revisionId)).size).toBe(2);
    const ids = await Promise.all(
      documents.map(async (document) => {
        const { body } = await alpha.get(`${pathOf(document)}/events`);
        return (body as unknown as readonly { readonly id: string }[]).map(({ id }) => id);
      }),
    );
    expect(new Set(ids.flat()).size).toBe(2);
  });

  it('is told apart by its interaction: events under one key never share an id', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    const ids: unknown[] = [];
    for (let count = 0; count < 2; count++) {
      const document = emitted(
        await alpha.propose(contractOf([alpha, beta]), beta, { headers }),
        201,
      );
      const { body } = await alpha.get(`${pathOf(document)}/events`);
      ids.push(...(body as unknown as { id: string }[]).map(({ id }) => id));
    }
    expect(new Set(ids).size).toBe(2);
  });

  it('keeps the keys of principals apart', async () => {
    const key = randomUUID();
    const headers = { 'idempotency-key': key };
    const mine = await alpha.propose(contractOf([alpha, beta]), beta, { headers });
    const theirs = await beta.propose(contractOf([beta, alpha]), alpha, { headers });
    expect([mine.status, theirs.status]).toEqual([201, 201]);
    expect(theirs.headers.get('idempotency-replayed')).toBeNull();
  });

  it('is not answered to a token that may not act for the agent', async () => {
    const document = await propose();
    const command = on(document, 'acceptances', beta, beta.consent(document));
    const owner = { ...beta.ownerToken, client: beta.client };
    const first = await beta.post(command.path, command.body, { token: owner });
    emitted(first, 201);
    // The same principal, but neither the owner's tenant nor a client of the agent.
    const { tenant } = alpha;
    refused(
      await beta.post(command.path, command.body, { token: { ...owner, tenant } }),
      404,
      'interaction-not-found',
    );
    const other = on(document, 'acceptances', beta, beta.consent(document));
    refused(await send(other, null), 409, 'head-changed');
  });

  it('that was refused is judged again', async () => {
    const document = await propose();
    const key = randomUUID();
    const command = on(document, 'acceptances', beta, beta.consent(document));
    const unsigned = { ...command, body: { ...command.body, acceptance: undefined } };
    refused(await send(unsigned, key), 403, 'signature-required');
    emitted(await send(command, key), 201);
  });

  it('refuses a key that is no key', async () => {
    const document = await propose();
    const command = on(document, 'acceptances', beta, beta.consent(document));
    refused(await send(command, 'x'.repeat(256)), 400, 'idempotency-key-invalid');
  });
});

describe('the head', () => {
  it('must be named, in the body or by If-Match, and by both alike', async () => {
    const document = await propose();
    const path = `${pathOf(document)}/acceptances`;
    const { head, ...body } = beta.consent(document) as { head: object };
    const etag = (await alpha.get(pathOf(document))).headers.get('etag') ?? '';
    const post = (sent: object, ifMatch?: string): Promise<Answer> =>
      beta.post(path, sent, ifMatch === undefined ? {} : { headers: { 'if-match': ifMatch } });
    refused(await post(body), 428, 'head-required');
    for (const bad of ['*', `W/${etag}`, `${etag}, ${etag}`, '"1"', etag.slice(1)]) {
      refused(await post(body, bad), 400, 'request-invalid');
    }
    const old = etag.replace('.proposed.', '.accepted.');
    refused(await post({ ...body, head }, old), 400, 'request-invalid');
    expect(refused(await post(body, old), 412, 'precondition-failed').body['head']).toEqual(head);
    // Only the head counts: a version that has passed meanwhile does not.
    emitted(await post(body, etag.replace('"1.', '"0.')), 201);
  });
});
