import { describe, expect, it } from '@jest/globals';
import { conclude, failure, gap, type Flaw } from '../../../src/audit/verify/check-result.js';
import { toldCheckpoints } from '../../../src/cli/audit/told-checkpoints.js';

const of = (size: number, flaw?: Flaw) => conclude('checkpoint', `${String(size)} entries`, flaw);

describe('what is told of checkpoints', () => {
  it('of those that fit, the newest', () => {
    expect(toldCheckpoints([of(1), of(2), of(3)])).toEqual([of(3)]);
  });

  it('of those that are not checkable for one reason, the newest and how many there are', () => {
    const unnamed = gap('log-unnamed', 'countersign.example/log');
    const unsigned = gap('checkpoint-unsigned');
    const told = toldCheckpoints([of(1, unsigned), of(2, unsigned), of(3, unnamed), of(4)]);
    expect(told).toEqual([
      { ...of(2, unsigned), detail: 'the newest of 2 checkpoints' },
      of(3, unnamed),
      of(4),
    ]);
    expect(toldCheckpoints([of(1, unnamed), of(2, unnamed)])).toEqual([
      { ...of(2, unnamed), detail: 'countersign.example/log, the newest of 2 checkpoints' },
    ]);
  });

  it('what is wrong of each, in the order of the log, and no more than twenty', () => {
    const wrong = Array.from({ length: 25 }, (_, size) => of(size, failure('root-mismatch')));
    expect(toldCheckpoints([of(0), ...wrong])).toEqual([of(0), ...wrong.slice(0, 19)]);
  });

  it('a checkpoint that was kept is told whatever became of it', () => {
    const kept = conclude('consistency', '1 entries', undefined);
    expect(toldCheckpoints([kept, kept, of(2)])).toEqual([kept, kept, of(2)]);
  });
});
