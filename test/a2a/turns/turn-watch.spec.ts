import { expect, it } from '@jest/globals';
import { TurnWatch } from '../../../src/a2a/turns/turn-watch.js';
import type { StoredTask } from '../../../src/a2a/tasks/domain/task.js';
import { eventually } from '../../support/eventually.js';

it('a turn is still stopped by whoever ends its task after the store was away for a moment', async () => {
  const stopped: string[] = [];
  const faults: unknown[] = [];
  let asked = 0;
  const watch = new TurnWatch({
    tasks: {
      // eslint-disable-next-line require-yield -- it ends, or breaks, at once
      watch: async function* () {
        if (++asked === 1) throw new Error('the store is away');
      },
    },
    clock: Date.now,
    stored: { task: { id: 'task' }, revision: 3 } as unknown as StoredTask,
    deadline: Date.now() + 60_000,
    stop: (reason) => stopped.push(reason),
    fault: (error) => faults.push(error),
  });
  await eventually(() => stopped.length > 0);
  watch.end();
  expect([asked, stopped, faults]).toEqual([2, ['past'], [new Error('the store is away')]]);
});
