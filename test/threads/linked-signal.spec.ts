import { getEventListeners } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { LinkedSignal } from '../../src/threads/linked-signal.js';

const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds));

describe('a linked signal', () => {
  it('aborts with the first of its signals, for its reason', () => {
    const [one, other] = [new AbortController(), new AbortController()];
    const linked = new LinkedSignal([one.signal, other.signal]);
    expect(linked.signal.aborted).toBe(false);
    other.abort('because');
    expect(linked.signal.aborted).toBe(true);
    one.abort('later');
    expect(linked.signal.reason).toBe('because');
  });

  it('is aborted from the first when one of them is', () => {
    const linked = new LinkedSignal([new AbortController().signal, AbortSignal.abort('before')], 1);
    expect(linked.signal.reason).toBe('before');
  });

  it('aborts when its time is over', async () => {
    const linked = new LinkedSignal([], 20);
    await pause(60);
    expect(linked.signal.reason).toMatchObject({ name: 'TimeoutError' });
  });

  it('follows nothing once it is ended', async () => {
    const one = new AbortController();
    const linked = new LinkedSignal([one.signal], 20);
    linked.end();
    one.abort();
    await pause(60);
    expect(linked.signal.aborted).toBe(false);
  });
});

describe('many linked signals', () => {
  it('of one signal are no reason to warn, and leave nothing on it once they have fired', async () => {
    const warnings: Error[] = [];
    const note = (warning: Error): unknown => warnings.push(warning);
    process.on('warning', note);
    const one = new AbortController();
    const linked = Array.from({ length: 40 }, () => new LinkedSignal([one.signal], 5));
    await pause(40);
    process.off('warning', note);
    expect(warnings).toEqual([]);
    expect(linked.every(({ signal }) => signal.aborted)).toBe(true);
    expect(getEventListeners(one.signal, 'abort')).toEqual([]);
  });
});

/** Each goes through all that a test worker has loaded so far. */
const COLLECTIONS = 3;

describe('a request that only a linked signal ends', () => {
  let server: Server;
  let url: string;

  beforeAll(async () => {
    // It never answers.
    server = createServer(() => undefined);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  });

  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  it.each(['its time', 'another signal'])(
    'ends by %s, however often garbage is collected meanwhile',
    async (by) => {
      setFlagsFromString('--expose-gc');
      const collect = runInNewContext('gc') as () => void;
      const ending = new AbortController();
      const limit = by === 'its time' ? 150 : undefined;
      const request = fetch(url, { signal: new LinkedSignal([ending.signal], limit).signal });
      const ended = expect(request).rejects.toMatchObject({
        name: by === 'its time' ? 'TimeoutError' : 'AbortError',
      });
      for (let round = 0; round < COLLECTIONS; round++) {
        await pause(10);
        collect();
      }
      if (by !== 'its time') ending.abort();
      await ended;
    },
    30_000,
  );
});
