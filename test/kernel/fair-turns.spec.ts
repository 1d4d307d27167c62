import { describe, expect, it } from '@jest/globals';
import { FairTurns } from '../../src/kernel/fair-turns.js';

const NEVER = new AbortController().signal;

/** Who comes with how many, and in which order they had their turns; those without one at the end. */
async function orderOf(
  came: readonly (readonly [holder: string, count: number])[],
  { atOnce = 1, mostWaiting = 1_000 } = {},
): Promise<{ had: readonly string[]; left: readonly string[] }> {
  const turns = new FairTurns(atOnce, mostWaiting);
  const had: string[] = [];
  const left: string[] = [];
  const asked = came.flatMap(([holder, count]) =>
    Array.from({ length: count }, async () => {
      const [tenant = '', caller = ''] = holder.split('/');
      if (!(await turns.begin({ tenant, caller }, NEVER))) {
        left.push(holder);
        return;
      }
      had.push(holder);
      await Promise.resolve();
      turns.end();
    }),
  );
  await Promise.all(asked);
  return { had, left };
}

describe('turns', () => {
  it('tell how many wait for theirs, of a caller and of its tenant', async () => {
    const turns = new FairTurns(1);
    const ask = async (caller: string) => turns.begin({ tenant: 't', caller });
    const all = [ask('c'), ask('c'), ask('c'), ask('d')];
    expect(turns.waitingOf({ tenant: 't', caller: 'c' })).toEqual({ caller: 2, tenant: 3 });
    expect(turns.waitingOf({ tenant: 't', caller: 'e' })).toEqual({ caller: 0, tenant: 3 });
    expect(turns.waitingOf({ tenant: 'u', caller: 'c' })).toEqual({ caller: 0, tenant: 0 });
    for (let ended = 0; ended < all.length; ended++) turns.end();
    expect(await Promise.all(all)).toEqual([true, true, true, true]);
    expect(turns.waitingOf({ tenant: 't', caller: 'c' })).toEqual({ caller: 0, tenant: 0 });
  });

  it('are taken in the order of coming by one alone', async () => {
    const turns = new FairTurns(1, 10);
    const had: number[] = [];
    await Promise.all(
      [1, 2, 3].map(async (n) => {
        await turns.begin({ tenant: 't', caller: 'c' }, NEVER);
        had.push(n);
        turns.end();
      }),
    );
    expect(had).toEqual([1, 2, 3]);
  });

  it('go round the tenants, however many one asks for first', async () => {
    const { had } = await orderOf([
      ['m/m', 50],
      ['b/b', 2],
      ['c/c', 1],
    ]);
    expect(had.slice(0, 6).join()).toBe('m/m,m/m,b/b,c/c,m/m,b/b');
    expect(had).toHaveLength(53);
  });

  it('go round the callers of a tenant, which has no more of them for being many', async () => {
    const { had } = await orderOf([
      ['m/1', 9],
      ['m/2', 9],
      ['m/3', 9],
      ['b/b', 4],
    ]);
    const places = had.flatMap((holder, place) => (holder === 'b/b' ? [place] : []));
    expect(places).toEqual([2, 4, 6, 8]);
    expect(had.filter((holder) => holder !== 'b/b').slice(1, 7)).toEqual([
      ...['m/1', 'm/2', 'm/3'],
      ...['m/1', 'm/2', 'm/3'],
    ]);
  });

  it('are taken by no more at once than may', async () => {
    const turns = new FairTurns(2, 10);
    const holder = { tenant: 't', caller: 'c' };
    const begun: number[] = [];
    const asked = [1, 2, 3].map(async (n) =>
      begun.push(Number(await turns.begin(holder, NEVER)) * n),
    );
    await Promise.all(asked.slice(0, 2));
    expect(begun).toEqual([1, 2]);
    turns.end();
    await asked[2];
    expect(begun).toEqual([1, 2, 3]);
  });

  it('are lost by whoever has most of those waiting, when too many do', async () => {
    const { had, left } = await orderOf(
      [
        ['m/1', 6],
        ['m/2', 3],
        ['b/b', 4],
      ],
      { mostWaiting: 8 },
    );
    expect([...left].sort()).toEqual(['m/1', 'm/1', 'm/1', 'm/2']);
    expect(had.filter((holder) => holder === 'b/b')).toHaveLength(4);
  });

  it('are not kept for whoever stops waiting', async () => {
    const turns = new FairTurns(1, 10);
    const [first, second] = ['first', 'second'].map((caller) => ({ tenant: 't', caller }));
    expect(await turns.begin(first!, NEVER)).toBe(true);
    const patience = new AbortController();
    const gone = turns.begin(first!, patience.signal);
    const stays = turns.begin(second!, NEVER);
    patience.abort();
    expect(await gone).toBe(false);
    turns.end();
    expect(await stays).toBe(true);
    turns.end();
    expect(await turns.begin(first!, patience.signal)).toBe(true);
  });
});
