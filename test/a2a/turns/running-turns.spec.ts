import { describe, expect, it } from '@jest/globals';
import { RunningTurns } from '../../../src/a2a/turns/running-turns.js';
import type { TaskOwner } from '../../../src/a2a/tasks/domain/task.js';
import type { AgentId } from '../../../src/kernel/ids.js';
import { capability } from '../../capabilities/support/capabilities.js';

const { manifest } = capability('echo');

function of(principal: string, tenant: string, agent: string | null = null): TaskOwner {
  return { kind: 'principal', tenant, principal, agent: agent as AgentId | null };
}

/** How many turns begin, of so many that want to. */
function begun(turns: RunningTurns, wanted: number, owner: (index: number) => TaskOwner): number {
  const slots = Array.from({ length: wanted }, (_, index) =>
    turns.takeSlot(manifest, owner(index)),
  );
  return slots.filter((slot) => slot !== undefined).length;
}

describe('the turns under way in a process', () => {
  it('are half of all at most of one tenant, however many callers it has', () => {
    const turns = new RunningTurns(Date.now);
    expect(begun(turns, 1_200, (index) => of(`p${index}`, 'a'))).toBe(1_000);
    expect(begun(turns, 10, (index) => of(`p${index}`, 'b'))).toBe(10);
  });

  it('are a quarter at most of one calling agent, whoever speaks for it', () => {
    const turns = new RunningTurns(Date.now);
    expect(begun(turns, 600, (index) => of(`p${index}`, 'a', 'buyer'))).toBe(500);
    expect(begun(turns, 600, () => of('p', 'a'))).toBe(500);
    expect(turns.takeSlot(manifest, of('p', 'a', 'other'))).toBeUndefined();
  });

  it('are a quarter at most of those without a token', () => {
    const turns = new RunningTurns(Date.now);
    const anonymous = { kind: 'anonymous', sharing: 'secret' } as const;
    expect(begun(turns, 600, () => anonymous)).toBe(500);
  });

  it('make room when they end, once', () => {
    const turns = new RunningTurns(Date.now);
    const [slot] = Array.from({ length: 500 }, () => turns.takeSlot(manifest, of('p', 'a')));
    slot?.release();
    slot?.release();
    expect(begun(turns, 3, () => of('p', 'a'))).toBe(1);
  });
});
