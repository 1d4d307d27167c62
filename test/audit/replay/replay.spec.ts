import { afterEach, describe, expect, it } from '@jest/globals';
import type { DisclosedEvent } from '../../../src/audit/replay/disclosed-events.js';
import { isAudited } from '../../../src/audit/replay/replay-query.js';
import type { ReplayPage } from '../../../src/audit/replay/replay.js';
import type { Caller } from '../../../src/kernel/caller.js';
import { timestampOf } from '../../../src/kernel/timestamp.js';
import { readStored, type StoredLog } from '../../golden/stored-log.js';
import {
  asking,
  reader,
  replayOf,
  type GoldenReplay,
  type GoldenReplayOptions,
} from './support/golden-replay.js';

const golden = (file: string): StoredLog =>
  readStored(new URL(`../../golden/${file}.json`, import.meta.url));

const INTERACTION = golden('interactions/negotiated-amended-completed');
const CALLS = golden('invocations-by-contract');
const UNBOUNDED = { examined: Infinity, characters: Infinity, milliseconds: Infinity };
const AUDITOR = reader('nobody', 'audit:read-all');

let open: GoldenReplay | undefined;

async function replaying(
  log: StoredLog,
  options?: GoldenReplayOptions,
): Promise<GoldenReplay['replay']> {
  await open?.dispose();
  open = await replayOf(log, options);
  return open.replay;
}

afterEach(async () => {
  await open?.dispose();
  open = undefined;
});

const typesOf = ({ events }: ReplayPage): readonly string[] =>
  events.map(({ envelope }) => envelope.type);

/** Page by page, until there is no more. */
async function pages(
  replay: GoldenReplay['replay'],
  caller: Caller,
  limit: number,
): Promise<readonly ReplayPage[]> {
  const all: ReplayPage[] = [];
  let after = asking().after;
  for (;;) {
    const page = await replay.page(caller, asking({ after }), limit);
    all.push(page);
    if (!page.isMore) return all;
    expect(page.through > after).toBe(true);
    after = page.through;
  }
}

describe('pages', () => {
  it.each([1, 2, 5, 12, 13, 14])('of %i: each event once, in order', async (limit) => {
    const all = await pages(await replaying(INTERACTION), AUDITOR, limit);
    expect(all.flatMap(({ events }) => events.map(({ envelope }) => envelope.id))).toEqual(
      INTERACTION.events.map(({ id }) => id),
    );
    for (const { events } of all.slice(0, -1)) expect(events).toHaveLength(limit);
  });

  it('that find nothing end all the same, and say that there is more', async () => {
    // Looked at in batches of 64, so the log is more than three of them.
    const stranger = reader('stranger', 'audit:read');
    const events = Array.from({ length: 200 }, (_, index) => ({
      ...CALLS.events[0]!,
      stream: `invocation-${String(index)}`,
      revision: 0,
      id: `${String(index).padStart(8, '0')}-f1b5-5521-b4bb-6dd01a2ba416`,
    }));
    for (const bound of [{ examined: 64 }, { milliseconds: 0 }]) {
      const bounds = { ...UNBOUNDED, ...bound };
      const found = await pages(await replaying({ events }, { bounds }), stranger, 1000);
      expect(found.map((page) => page.events.length)).toEqual([0, 0, 0, 0]);
      expect(found.map(({ isMore }) => isMore)).toEqual([true, true, true, false]);
    }
  });

  it('end early where texts are large', async () => {
    const bounds = { ...UNBOUNDED, characters: 1000 };
    const found = await pages(await replaying(INTERACTION, { bounds }), AUDITOR, 1000);
    expect(found.length).toBeGreaterThan(1);
    expect(found.flatMap(typesOf)).toEqual(INTERACTION.events.map(({ type }) => type));
  });

  it('end early where data is large, which no seal counts', async () => {
    const pad = 'x'.repeat(4_000);
    const events = Array.from({ length: 20 }, (_, revision) => ({
      ...CALLS.events[0]!,
      stream: 'capability-of-many-words',
      revision,
      id: `${String(revision).padStart(8, '0')}-f1b5-5521-b4bb-6dd01a2ba416`,
      data: { pad },
      sealed: null,
    }));
    const bounds = { ...UNBOUNDED, characters: 10_000 };
    const found = await pages(await replaying({ events }, { bounds }), AUDITOR, 1000);
    expect(found.map((page) => page.events.length)).toEqual([3, 3, 3, 3, 3, 3, 2]);
  });

  it('leave out what is not audited', async () => {
    const [first] = golden('platform-keys').events;
    const books = [
      { ...first!, stream: 'log' },
      { ...first!, stream: 'process-expiry', id: 'b5a636f1-b5d4-5521-b4bb-6dd01a2ba416' },
    ];
    const replay = await replaying({ events: [...books, ...INTERACTION.events] });
    const { events } = await replay.page(AUDITOR, asking(), 1000);
    expect(events.every(({ envelope }) => isAudited(envelope.stream))).toBe(true);
    expect(events).toHaveLength(INTERACTION.events.length);
    for (const stream of ['log', 'process-expiry']) {
      expect(typesOf(await replay.page(AUDITOR, asking({ stream }), 10))).toEqual([]);
    }
  });

  it('since is inclusive, until exclusive', async () => {
    const replay = await replaying(INTERACTION);
    const moment = INTERACTION.events[3]!.recordedAt;
    const later = await replay.page(AUDITOR, asking({ since: moment }), 1000);
    const earlier = await replay.page(AUDITOR, asking({ until: moment }), 1000);
    expect([...typesOf(earlier), ...typesOf(later)]).toEqual(
      INTERACTION.events.map(({ type }) => type),
    );
    expect(later.events[0]!.envelope.recordedAt).toBe(moment);
    const never = asking({ since: timestampOf(Date.UTC(2100, 0)) });
    expect(typesOf(await replay.page(AUDITOR, never, 10))).toEqual([]);
  });
});

describe('texts', () => {
  const stream = INTERACTION.events[0]!.stream;

  async function textsOf(options: GoldenReplayOptions): Promise<readonly unknown[]> {
    const replay = await replaying(INTERACTION, options);
    const { events } = await replay.page(AUDITOR, asking(), 1000);
    return events.flatMap(({ envelope, texts }) => (envelope.sealed === null ? [] : [texts]));
  }

  it.each<readonly [string, GoldenReplayOptions]>([
    ['whose key is destroyed', { keys: new Map([[stream, 'erased']]) }],
    ['whose key is lost', { keys: new Map() }],
    ['that another key sealed', { keys: new Map([[stream, new Uint8Array(32)]]) }],
  ])('%s stay sealed, and their events are told', async (_, options) => {
    const texts = await textsOf(options);
    expect(texts.length).toBeGreaterThan(2);
    expect(texts.every((each) => each === undefined)).toBe(true);
  });

  it('of calls, and their approvals, are for the tenant of the called agent, not of the caller', async () => {
    const [admitted] = CALLS.events;
    const { agentId, caller } = admitted!.data as {
      agentId: string;
      caller: { tenant: string };
    };
    const tenants = { [agentId]: 'of-the-called' };
    const replay = await replaying(CALLS, { tenants });
    const toldTo = async (tenant: string) => {
      const page = await replay.page(reader(tenant, 'audit:read'), asking(), 1000);
      return page.events;
    };
    const isOfApproval = ({ envelope }: DisclosedEvent) => envelope.type.startsWith('approval-');
    const own = (await toldTo('of-the-called')).filter(isOfApproval);
    expect(own.length).toBeGreaterThan(0);
    expect(own.every(({ texts }) => typeof texts === 'object')).toBe(true);
    const callers = await toldTo(caller.tenant);
    expect(callers.length).toBeGreaterThan(0);
    expect(callers.filter(isOfApproval)).toEqual([]);
    expect(await toldTo('another')).toEqual([]);
  });
});

describe('texts that are erased as the log says', () => {
  const erasure = golden('interactions-erased/withdrawn').events.at(-1)!;
  const erasureOf = (stream: string, revision: number) => ({ ...erasure, stream, revision });

  async function textsAfter(log: StoredLog, last: StoredLog['events'][number]) {
    // With all of its keys, as a key store that is older than the erasure has them.
    const replay = await replaying({ ...log, events: [...log.events, last] });
    const { events } = await replay.page(AUDITOR, asking(), 1000);
    return events.filter(({ envelope }) => envelope.sealed !== null).map(({ texts }) => texts);
  }

  it('stay sealed, though their key is there again', async () => {
    const { stream } = INTERACTION.events[0]!;
    const last = erasureOf(stream, INTERACTION.events.length);
    const texts = await textsAfter(INTERACTION, last);
    expect(texts.length).toBeGreaterThan(2);
    expect(texts.every((each) => each === undefined)).toBe(true);
    const others = await textsAfter(INTERACTION, erasureOf('interaction-another', 0));
    expect(others.every((each) => typeof each === 'object')).toBe(true);
  });

  it('nor are they told by the calls that repeat them', async () => {
    const { interactionId } = CALLS.events[0]!.data['terms'] as { interactionId: string };
    const texts = await textsAfter(CALLS, erasureOf(`interaction-${interactionId}`, 0));
    expect(texts.length).toBeGreaterThan(2);
    expect(texts.every((each) => each === undefined)).toBe(true);
    const others = await textsAfter(CALLS, erasureOf('interaction-another', 0));
    expect(others.every((each) => typeof each === 'object')).toBe(true);
  });
});

describe('an export', () => {
  it('ends at its head, whatever has come since', async () => {
    const replay = await replaying(INTERACTION);
    const { events } = await replay.page(AUDITOR, asking(), 5);
    const head = events.at(-1)!.envelope.position;
    const exported: string[] = [];
    for await (const batch of replay.export(AUDITOR, asking(), head)) {
      exported.push(...batch.map(({ envelope }) => envelope.id));
    }
    expect(exported).toEqual(events.map(({ envelope }) => envelope.id));
  });
});

describe('a follower', () => {
  it('is told when it has reached the head, and ends with its signal', async () => {
    const replay = await replaying(INTERACTION);
    const stop = new AbortController();
    const told: (readonly [number, boolean])[] = [];
    for await (const { events, isAtHead } of replay.follow(AUDITOR, asking(), stop.signal)) {
      told.push([events.length, isAtHead]);
      stop.abort();
    }
    expect(told).toEqual([[INTERACTION.events.length, true]]);
  });
});
