import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestService, type InProcessService } from '../support/service.js';
import { AUDITS_ALL, Auditor } from './support/auditor.js';
import { contractOf, Negotiator } from './support/negotiator.js';

const PROPOSALS = 30;
/** As many as a caller is served at once. */
const AT_ONCE = 8;

let service: InProcessService;

beforeAll(async () => {
  service = await startTestService();
  const parties = [
    await Negotiator.register(service, 'agent-alpha'),
    await Negotiator.register(service, 'agent-beta'),
  ] as const;
  const purpose = 'x'.repeat(200_000);
  for (let nth = 0; nth < PROPOSALS; nth++) {
    const { status, text } = await parties[0].propose(contractOf(parties, { purpose }), parties[1]);
    if (status !== 201) throw new Error(text);
  }
});

afterAll(async () => {
  await service.dispose();
});

const auditor = (principal: string): Auditor => new Auditor(service, { ...AUDITS_ALL, principal });

describe('large pages', () => {
  it('a handful at once is served, each as if it were alone, as often as they are asked for', async () => {
    const one = auditor('one');
    const alone = await one.get('limit=1000');
    expect(alone.status).toBe(200);
    expect(alone.headers.get('link')).toContain('rel="next"');
    for (let round = 0; round < 3; round++) {
      const asked = Array.from({ length: AT_ONCE - 2 }, async () => one.get('limit=1000'));
      for (const { status, text } of await Promise.all(asked)) {
        expect([status, text === alone.text]).toEqual([200, true]);
      }
    }
  });

  it('more are refused, and asked for again they are served', async () => {
    const many = auditor('many');
    const asked = Promise.all(
      Array.from({ length: 4 * AT_ONCE }, async () => many.get('limit=1000')),
    );
    const ofAnother = auditor('another').get('limit=1000');
    const answers = await asked;
    expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(AT_ONCE);
    const refused = answers.filter(({ status }) => status !== 200);
    expect(refused.length).toBeGreaterThan(0);
    for (const { status, body, headers } of refused) {
      expect([status, body['code'], headers.get('retry-after')]).toEqual([
        503,
        'too-many-streams',
        '1',
      ]);
    }
    expect((await ofAnother).status).toBe(200);
    for (let nth = 0; nth < 2 * AT_ONCE; nth++) {
      expect((await many.get('limit=1')).status).toBe(200);
    }
  });

  it('that clients do not wait for give their places back', async () => {
    const token = await service.token({ ...AUDITS_ALL, principal: 'hasty' });
    const gone = new AbortController();
    const asked = Array.from({ length: 3 * AT_ONCE }, async () =>
      fetch(`${service.url}/v1/events?limit=1000`, {
        headers: { authorization: `Bearer ${token}` },
        signal: gone.signal,
      }),
    );
    setTimeout(() => {
      gone.abort();
    }, 20);
    await Promise.allSettled(asked);
    // It gets its turn after them.
    expect((await auditor('patient').get('limit=1')).status).toBe(200);
    const again = Array.from({ length: AT_ONCE - 2 }, async () => auditor('hasty').get('limit=1'));
    expect((await Promise.all(again)).map(({ status }) => status)).toEqual(
      Array(AT_ONCE - 2).fill(200),
    );
  });
});
