import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { RestAgent, signedBody } from '../agents/support/rest-agent.js';
import { startTestService, type Answer, type InProcessService } from '../support/service.js';
import { verdictOn } from './support/expectations.js';
import { contractOf, documentOf, Negotiator } from './support/negotiator.js';

/** How often each pair of requests is sent at once. */
const ROUNDS = 8;

/** Of a word that came too late. */
const REFUSALS: readonly unknown[] = ['key-not-valid', 'agent-retired'];

let service: InProcessService;
let beta: Negotiator;
let agents = 0;

beforeAll(async () => {
  service = await startTestService();
  beta = await Negotiator.register(service, 'beta');
});

afterAll(async () => {
  await service.dispose();
});

/** What ends the word of an agent's only key, signed with it. */
const ENDINGS = {
  'revokes its key': [
    'agent-key-revoked',
    (keyId: string) => [
      `/keys/${keyId}/revocation`,
      { change: 'revoke-key', keyId, reason: 'lost' },
    ],
  ],
  retires: ['agent-retired', () => ['/retirement', { change: 'retire', reason: 'done' }]],
} as const satisfies Record<
  string,
  readonly [string, (keyId: string) => readonly [string, object]]
>;

describe.each(Object.keys(ENDINGS) as (keyof typeof ENDINGS)[])('an agent that %s', (ending) => {
  const [type, change] = ENDINGS[ending];

  /** Signed, and sent with the same breath as what it undoes. */
  async function end(agent: Negotiator): Promise<Answer> {
    const { key, agentId } = agent;
    if (key === null) throw new Error('it has a key');
    const [path, body] = change(key.keyId);
    const signed = signedBody({ ...body, expectedRevision: 0 }, agentId, key, service);
    return agent.post(new RestAgent(service, agentId).path + path, signed, {
      token: { ...agent.ownerToken, scopes: ['agents:write'] },
    });
  }

  it.each(['proposes', 'accepts'])(
    'while it %s has its word in the log before, or not at all',
    async (act) => {
      const won = { act: 0, ending: 0 };
      for (let round = 0; round < ROUNDS; round++) {
        const alpha = await Negotiator.register(service, `alpha-${String(agents++)}`);
        const terms = contractOf([alpha, beta]);
        const pending =
          act === 'accepts' ? documentOf(await beta.propose(terms, alpha)) : undefined;
        const say = (): Promise<Answer> =>
          pending === undefined ? alpha.propose(terms, beta) : alpha.accept(pending);
        const [said, ended] = await Promise.all(
          round % 2 === 0 ? [say(), end(alpha)] : [end(alpha), say()].toReversed(),
        );
        expect(ended?.status).toBe(200);
        const places = placesOf(alpha, terms.interactionId);
        if (said?.status === 201) {
          expect(places.said).toBeLessThan(places.ended);
          // By moments alone the act may as well have come second: that is no failure of its own.
          const verdict = await verdictOn(documentOf(said), beta);
          expect(verdict).toBe(type === 'agent-key-revoked' ? 'not-checkable' : 'verified');
          won.act++;
        } else {
          expect(REFUSALS).toContain(said?.body['code']);
          expect(places.said).toBeNaN();
          won.ending++;
        }
      }
      expect(won.act + won.ending).toBe(ROUNDS);
    },
  );

  /** Positions in the log. */
  function placesOf(agent: Negotiator, interactionId: string): { said: number; ended: number } {
    const file = new Database(join(service.folder, 'events.db'), { readonly: true });
    const rows = file
      .prepare<[string, string], { position: number; name: string; type: string; body: string }>(
        `SELECT position, name, type, body FROM events JOIN streams ON number = stream
         WHERE name IN (?, ?) ORDER BY position`,
      )
      .all(`agent-${agent.agentId}`, `interaction-${interactionId}`);
    file.close();
    const said = rows.findLast(
      ({ name, body }) =>
        name.startsWith('interaction-') && body.includes(`"actor":{"principal":"${agent.client}"`),
    );
    const ended = rows.find((row) => row.type === type);
    return { said: said?.position ?? NaN, ended: ended?.position ?? NaN };
  }
});
