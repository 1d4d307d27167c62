import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { MANIFEST_BOUNDS } from '../../src/capabilities/domain/manifest-bounds.js';
import { EventStoreDouble } from '../support/eventstoredb/double.js';
import { startTestService, type Answer, type InProcessService } from '../support/service.js';
import { Auditor } from './support/auditor.js';
import { contractOf, documentOf, Negotiator, pathOf } from './support/negotiator.js';

const DIGITS = 20;

let double: EventStoreDouble;
let service: InProcessService;
let auditor: Auditor;
let party: Negotiator;
let path: string;
let positions: readonly string[];

beforeAll(async () => {
  double = await EventStoreDouble.start();
  const folder = await mkdtemp(join(tmpdir(), 'countersign-test-'));
  service = await startTestService({
    folder,
    env: {
      EVENT_STORE: double.connectionString,
      KEY_STORE: `sqlite:${join(folder, 'keys.db')}`,
      READ_WAIT_MS: '300',
    },
  });
  auditor = new Auditor(service);
  party = await Negotiator.register(service, 'party');
  const other = await Negotiator.register(service, 'other');
  path = pathOf(documentOf(await party.propose(contractOf([party, other]), other)));
  positions = (await auditor.pages()).map(({ position }) => position);
});

afterAll(async () => {
  await service.dispose();
  await double.stop();
});

/** Both halves moved by so many bytes. */
function moved(position: string, by: number): string {
  const half = (text: string): string =>
    (BigInt(text) + BigInt(by)).toString().padStart(DIGITS, '0');
  return half(position.slice(0, DIGITS)) + half(position.slice(DIGITS));
}

/** Commit and prepare position that no event has, below the head. */
const madeUp = (): readonly string[] => {
  const [, some = ''] = positions;
  const commit = some.slice(0, DIGITS);
  return [moved(some, 1), moved(some, -1), commit + '9'.repeat(DIGITS)];
};

const codeOf = ({ status, body }: Answer): unknown => [status, body['code']];
const INVALID = [400, 'position-invalid'];

describe('a position of a log in EventStoreDB', () => {
  it('is where a replay goes on', async () => {
    expect(positions.length).toBeGreaterThan(2);
    const [first = ''] = positions;
    const rest = await auditor.pages(`after=${first}`);
    expect(rest.map(({ position }) => position)).toEqual(positions.slice(1));
    const from = await auditor.pages(`after=${'0'.repeat(DIGITS)}`);
    expect(from.map(({ position }) => position)).toEqual(positions);
  });

  it('is refused by every form of a replay when no event stands there', async () => {
    for (const position of madeUp()) {
      expect(codeOf(await auditor.get(`after=${position}`))).toEqual(INVALID);
      for (const form of ['text/event-stream', 'application/x-ndjson'] as const) {
        const answer = await auditor.open(form, `after=${position}`);
        expect([answer.status, await answer.json()]).toEqual([
          400,
          expect.objectContaining({ code: 'position-invalid' }),
        ]);
      }
    }
  });

  it('is harmless to other reads when no event stands there', async () => {
    for (const position of madeUp()) {
      for (const where of [path, '/v1/interactions']) {
        expect((await party.get(where, { headers: { 'position-token': position } })).status).toBe(
          200,
        );
      }
      expect((await party.get(`${path}?at=${position}`)).status).toBeLessThan(500);
    }
  });

  it('is not one of another engine', async () => {
    const foreign = '7'.padStart(DIGITS, '0');
    expect(codeOf(await auditor.get(`after=${foreign}`))).toEqual(INVALID);
    for (const where of [path, '/v1/interactions', '/v1/agents']) {
      const headers = { 'position-token': foreign };
      expect(codeOf(await party.get(where, { headers }))).toEqual(INVALID);
    }
    expect(codeOf(await party.get(`${path}?at=${foreign}`))).toEqual(INVALID);
  });

  it('beyond the head is waited for', async () => {
    const beyond = moved(positions.at(-1) ?? '', 1_000_000);
    expect(codeOf(await auditor.get(`after=${beyond}`))).toEqual([503, 'projection-behind']);
    const headers = { 'position-token': beyond };
    expect(codeOf(await party.get(path, { headers }))).toEqual([503, 'projection-behind']);
  });
});

describe('an append to a log in EventStoreDB', () => {
  /** The server's default for one append, which the double keeps to. */
  const MAX_APPEND_BYTES = 1024 * 1024;

  it('is never larger than the engine takes, also of the longest terms for the most parties', async () => {
    const others: Negotiator[] = [];
    for (let n = 0; n < 15; n++) others.push(await Negotiator.register(service, `longest-${n}`));
    const [other] = others as [Negotiator];
    // As long as a request may be, but for what stands around it.
    const purpose = '€'.repeat((256 * 1024 - 8 * 1024) / 3);
    const proposed = await party.propose(contractOf([party, ...others], { purpose }), other);
    const document = documentOf(proposed);
    const [event] = await auditor.pages(`agent=${other.agentId}&type=interaction-proposed`);
    expect(event?.subject).toBe(`interaction-${document.interactionId}`);
    const bytes = Buffer.byteLength(JSON.stringify({ ...event?.data, texts: null }));
    expect(bytes).toBeGreaterThan(256 * 1024);
    expect(bytes).toBeLessThan(MAX_APPEND_BYTES / 2);
  });

  it('holds a manifest of the largest size, whatever its characters', () => {
    const bytesPerCodeUnit = 3;
    expect(MANIFEST_BOUNDS.size * bytesPerCodeUnit).toBeLessThan(MAX_APPEND_BYTES / 2);
  });
});
