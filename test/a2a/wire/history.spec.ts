import { describe, expect, it } from '@jest/globals';
import { withHistoryLength } from '../../../src/a2a/wire/history.js';
import type { Task } from '../../../src/a2a/wire/types.js';

const history = ['a', 'b', 'c'].map((text) => ({
  messageId: text,
  role: 'ROLE_USER' as const,
  parts: [{ text }],
}));
const task: Task = {
  id: 't',
  contextId: 'c',
  status: { state: 'TASK_STATE_WORKING', timestamp: '2026-01-02T03:04:05.000Z' },
  history,
};

describe('historyLength', () => {
  it.each([
    [undefined, history],
    [0, undefined],
    [1, history.slice(2)],
    [2, history.slice(1)],
    [3, history],
    [4, history],
  ])('%s', (length, expected) => {
    expect(withHistoryLength(task, length).history).toEqual(expected);
  });

  it('of none leaves no member behind', () => {
    expect(withHistoryLength(task, 0)).not.toHaveProperty('history');
  });
});
