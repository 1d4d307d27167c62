import { EventEmitter } from 'node:events';
import type { FastifyReply } from 'fastify';
import { describe, expect, it } from '@jest/globals';
import { ReplayPages } from '../../../src/audit/replay/replay-pages.js';
import { ReplayStreams } from '../../../src/audit/replay/replay-streams.js';
import { eventually } from '../../support/eventually.js';
import { reader } from './support/golden-replay.js';

const LIMITS = { perNode: 3, perTenant: 3, perOwner: 2 };
const ALICE = reader('a');

function reply(): Pick<FastifyReply, 'raw'> {
  const raw = Object.assign(new EventEmitter(), { writableFinished: false });
  return { raw } as unknown as Pick<FastifyReply, 'raw'>;
}

it('ends a stream that is too old', async () => {
  const { signal, close } = new ReplayStreams(LIMITS, 20).open(ALICE, reply());
  expect(signal.aborted).toBe(false);
  await eventually(() => signal.aborted);
  close();
});

it('ends a stream whose client is gone', () => {
  const { raw } = reply();
  const { signal, close } = new ReplayStreams(LIMITS).open(ALICE, { raw });
  raw.emit('close');
  expect(signal.aborted).toBe(true);
  close();
});

it('ends all with the node', () => {
  const streams = new ReplayStreams(LIMITS);
  const opened = [streams.open(ALICE, reply()), streams.open(reader('b'), reply())];
  streams.onModuleDestroy();
  expect(opened.map(({ signal }) => signal.aborted)).toEqual([true, true]);
  for (const { close } of opened) close();
});

it('gives the place of an ended stream to another', () => {
  const streams = new ReplayStreams(LIMITS);
  const [first] = [streams.open(ALICE, reply()), streams.open(ALICE, reply())];
  expect(() => streams.open(ALICE, reply())).toThrow('too-many-streams');
  first.close();
  first.close();
  streams.open(ALICE, reply()).close();
  expect(() => streams.open(ALICE, reply())).not.toThrow();
});

describe('an answer with an end of its own', () => {
  const LAST = { perNode: 1, perTenant: 1, perOwner: 1 };
  const isFree = (streams: ReplayStreams): boolean => {
    try {
      streams.open(ALICE, reply()).close();
      return true;
    } catch {
      return false;
    }
  };

  it('keeps its place until its connection is done with it', async () => {
    const streams = new ReplayStreams(LAST);
    const { raw } = reply();
    expect(await streams.hold(ALICE, { raw }, async () => Promise.resolve('made'))).toBe('made');
    expect(isFree(streams)).toBe(false);
    Object.assign(raw, { writableFinished: true });
    raw.emit('close');
    expect(isFree(streams)).toBe(true);
  });

  it('keeps it while there is work for a client that is gone, and hears of it', async () => {
    const streams = new ReplayStreams(LAST);
    const { raw } = reply();
    let finish = (): void => undefined;
    let heard: AbortSignal | undefined;
    const held = streams.hold(ALICE, { raw }, async (signal) => {
      heard = signal;
      await new Promise<void>((resolve) => (finish = resolve));
    });
    Object.assign(raw, { closed: true });
    raw.emit('close');
    expect([heard?.aborted, isFree(streams)]).toEqual([true, false]);
    finish();
    await held;
    expect(isFree(streams)).toBe(true);
  });

  it('that fails keeps it until the failure is told', async () => {
    const streams = new ReplayStreams(LAST);
    const { raw } = reply();
    const failing = streams.hold(ALICE, { raw }, async () => Promise.reject(new Error('no')));
    await expect(failing).rejects.toThrow('no');
    expect(isFree(streams)).toBe(false);
    raw.emit('close');
    expect(isFree(streams)).toBe(true);
  });

  it('gives it up when it is too old, though no connection says that it is done', async () => {
    const streams = new ReplayStreams(LAST, 200);
    await streams.hold(ALICE, reply(), async () => Promise.resolve());
    expect(isFree(streams)).toBe(false);
    await eventually(() => isFree(streams));
  });
});

it('of pages there are eight per caller, and thirty-two of a node', () => {
  const pages = new ReplayPages();
  for (const tenant of ['a', 'b', 'c', 'd']) {
    for (let nth = 0; nth < 8; nth++) pages.open(reader(tenant), reply());
    expect(() => pages.open(reader(tenant), reply())).toThrow('too-many-streams');
  }
  expect(() => pages.open(reader('e'), reply())).toThrow('too-many-streams');
});
