import { describe, expect, it } from '@jest/globals';
import type { HandlerEvent } from '../../../src/a2a/handlers/capability-call.js';
import { endingChange, TurnScript } from '../../../src/a2a/turns/turn-script.js';

const artifact = (text: string): HandlerEvent => ({
  kind: 'artifact',
  artifact: { artifactId: 'a', parts: [{ text }] },
});

function readUntilBroken(event: HandlerEvent, most: number): number {
  const script = new TurnScript();
  for (let count = 1; count <= most; count++) {
    const change = script.read(event);
    if (change !== null && 'broken' in change) return count;
  }
  return 0;
}

describe('what a handler may say in one turn', () => {
  it('is at most 10 000 events', () => {
    expect(readUntilBroken({ kind: 'working' }, 20_000)).toBe(10_001);
  });

  it('is at most 8 MiB', () => {
    expect(readUntilBroken(artifact('x'.repeat(1024 * 1024)), 100)).toBe(8);
  });

  it('is handed on as it was said', () => {
    const script = new TurnScript();
    expect(script.read({ ...artifact('x'), append: true } as HandlerEvent)).toEqual({
      ...artifact('x'),
      append: true,
      lastChunk: false,
    });
    expect(script.read({ kind: 'working', parts: [{ text: 'soon' }] })).toEqual({
      kind: 'status',
      state: 'TASK_STATE_WORKING',
      parts: [{ text: 'soon' }],
    });
    expect(script.read({ kind: 'working', parts: [] })).toEqual({
      kind: 'status',
      state: 'TASK_STATE_WORKING',
    });
  });
});

describe('a message as the end of a turn', () => {
  const ending = { kind: 'message', parts: [{ text: 'pong' }] } as const;

  it('is an answer as long as nobody has seen the task', () => {
    expect(endingChange(ending, false)).toEqual({ kind: 'answer', parts: ending.parts });
  });

  it('is the last word about a task that somebody has seen', () => {
    expect(endingChange(ending, true)).toEqual({
      kind: 'status',
      state: 'TASK_STATE_COMPLETED',
      parts: ending.parts,
    });
  });
});
