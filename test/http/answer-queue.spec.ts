import { expect, it } from '@jest/globals';
import { AnswerQueue } from '../../src/http/answer-queue.js';
import { aMoment } from '../support/eventually.js';

/** Who asks, in one letter for the tenant and one for the caller: in which order they have their turn. */
async function orderOf(asking: readonly string[], queue: AnswerQueue): Promise<string[]> {
  const order: string[] = [];
  let underWay = 0;
  await Promise.all(
    asking.map(async (name) => {
      const who = { tenant: name.charAt(0), caller: name.slice(0, 2) };
      const made = await queue.inTurn(who, async () => {
        underWay++;
        order.push(name);
        await aMoment(1);
        expect(underWay--).toBe(1);
        return name;
      });
      if (made === undefined) order.push(`not ${name}`);
    }),
  );
  return order;
}

function aQueue(perCaller = 100, perTenant = 100): AnswerQueue {
  return new AnswerQueue({ perCaller, perTenant });
}

it('makes one after the other, of one caller in the order in which it asked', async () => {
  const asking = ['aa1', 'aa2', 'aa3', 'aa4'];
  expect(await orderOf(asking, aQueue())).toEqual(asking);
});

it('goes by turns of tenants, and within a tenant by turns of callers', async () => {
  const asking = ['aa1', 'aa2', 'aa3', 'aa4', 'ab1', 'ab2', 'ca1', 'cb1'];
  const order = ['aa1', 'aa2', 'ca1', 'ab1', 'cb1', 'aa3', 'ab2', 'aa4'];
  expect(await orderOf(asking, aQueue())).toEqual(order);
});

it('lets so many of a caller and of a tenant wait, and no other the less', async () => {
  const ofCaller = ['aa1', 'aa2', 'aa3', 'aa4', 'ab1', 'ca1'];
  const order = await orderOf(ofCaller, aQueue(2));
  expect(order.filter((name) => name.startsWith('not'))).toEqual(['not aa4']);
  const ofTenant = ['aa1', 'ab1', 'ac1', 'ad1', 'ca1'];
  const orderOfTenant = await orderOf(ofTenant, aQueue(100, 2));
  expect(orderOfTenant.filter((name) => name.startsWith('not'))).toEqual(['not ad1']);
});

it('goes on after one that fails, and is free when nobody waits', async () => {
  const queue = aQueue(1);
  const who = { tenant: 'a', caller: 'aa' };
  const failing = queue.inTurn(who, async () => Promise.reject(new Error('no')));
  const next = queue.inTurn(who, async () => Promise.resolve('next'));
  await expect(failing).rejects.toThrow('no');
  expect(await next).toBe('next');
  for (let nth = 0; nth < 3; nth++) {
    expect(await queue.inTurn(who, async () => Promise.resolve(nth))).toBe(nth);
  }
});
