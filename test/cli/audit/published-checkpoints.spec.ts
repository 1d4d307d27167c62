import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { publishedCheckpoints } from '../../../src/cli/audit/published-checkpoints.js';
import { ServiceClient } from '../../../src/cli/audit/service-client.js';
import { leafHash } from '../../../src/kernel/merkle.js';
import { checkpointNote } from '../../audit/support/bundles.js';

const PAGE = 500;

let server: Server | undefined;
afterEach(() => {
  server?.close();
});

/** A service that lists checkpoints of trees of `newest`, `newest - 1` … 1 entries. */
async function listing(newest: number): Promise<ServiceClient> {
  const leaves = Array.from({ length: 3 }, (_, nth) => leafHash(String(nth)));
  const signed = checkpointNote(leaves);
  const noteOf = (size: number): string => signed.replace('\n3\n', `\n${String(size)}\n`);
  server = createServer((request, response) => {
    const { searchParams } = new URL(request.url ?? '', 'http://localhost');
    const from = Number(searchParams.get('cursor') ?? newest);
    const sizes = Array.from({ length: Math.min(PAGE, from) }, (_, nth) => from - nth);
    const next = from - sizes.length;
    response.setHeader('content-type', 'application/json').end(
      JSON.stringify({
        checkpoints: sizes.map((size) => ({ note: noteOf(size) })),
        ...(next === 0 ? {} : { nextCursor: String(next) }),
      }),
    );
  });
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return ServiceClient.at(`http://127.0.0.1:${String(port)}`, undefined);
}

describe('the checkpoints that a service lists', () => {
  it('are read to the first one, the smallest first', async () => {
    const { checkpoints, leftOut } = await publishedCheckpoints(await listing(1_200), 0);
    expect(checkpoints.map(({ checkpoint }) => checkpoint.size)).toEqual(
      Array.from({ length: 1_200 }, (_, nth) => nth + 1),
    );
    expect(leftOut).toBe(0);
  });

  it('are read no further than to one that is known', async () => {
    const { checkpoints, leftOut } = await publishedCheckpoints(await listing(1_200), 900);
    expect(checkpoints[0]?.checkpoint.size).toBe(701);
    expect(leftOut).toBe(0);
  });

  it('beyond the most that are looked at are counted', async () => {
    const { checkpoints, leftOut } = await publishedCheckpoints(await listing(1_200), 0, PAGE);
    expect([checkpoints.length, leftOut]).toEqual([500, 700]);
    expect(checkpoints[0]?.checkpoint.size).toBe(701);
  });
});
