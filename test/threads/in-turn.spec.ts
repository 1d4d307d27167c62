import { expect, it } from '@jest/globals';
import { goOnInTurn } from '../../src/threads/in-turn.js';
import { letOthersRun } from '../../src/threads/let-others-run.js';

it('lets one go on with each turn of the event loop, in their order, however many there are', async () => {
  const order: number[] = [];
  const working = Promise.all(
    Array.from({ length: 40 }, async (_, nth) => {
      for (let piece = 0; piece < 2; piece++) {
        await goOnInTurn();
        order.push(nth);
      }
    }),
  );
  const perTurn: number[] = [];
  for (let before = 0; order.length < 80; before = order.length) {
    await letOthersRun();
    perTurn.push(order.length - before);
  }
  await working;
  expect(Math.max(...perTurn)).toBe(1);
  const each = Array.from({ length: 40 }, (_, nth) => nth);
  expect(order).toEqual([...each, ...each]);
});
