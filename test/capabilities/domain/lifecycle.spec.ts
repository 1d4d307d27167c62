import { describe, expect, it } from '@jest/globals';
import { mayBecome, wayTo } from '../../../src/capabilities/domain/lifecycle.js';
import type { LifecycleState } from '../../../src/capabilities/domain/manifest.js';

const STATES: readonly LifecycleState[] = ['preview', 'ga', 'deprecated', 'removed'];

describe('life', () => {
  it('goes on one step at a time', () => {
    const steps = STATES.flatMap((from) =>
      STATES.filter((to) => mayBecome(from, to)).map((to) => `${from} → ${to}`),
    );
    expect(steps).toEqual([
      'preview → ga',
      'ga → deprecated',
      'deprecated → deprecated',
      'deprecated → removed',
    ]);
  });

  it('has a way to everything that lies ahead, of steps that may be taken', () => {
    for (const [i, from] of STATES.entries()) {
      for (const [j, to] of STATES.entries()) {
        const way = wayTo(from, to);
        if (i > j) {
          expect(way).toBeUndefined();
          continue;
        }
        const path = [from, ...way!];
        expect(path.at(-1)).toBe(to);
        for (const [k, next] of way!.entries()) expect(mayBecome(path[k]!, next)).toBe(true);
      }
    }
  });
});
