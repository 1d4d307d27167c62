import { describe, expect, it } from '@jest/globals';
import { isWithin, parseTilePath } from '../../../src/audit/log/tile-path.js';

describe('paths of hash tiles', () => {
  it.each([
    ['0/000', [0, 0, 256]],
    ['0/067', [0, 67, 256]],
    ['0/x001/067', [0, 1067, 256]],
    ['0/x001/x234/067', [0, 1_234_067, 256]],
    ['1/003.p/17', [1, 3, 17]],
    ['0/x001/000.p/1', [0, 1000, 1]],
    ['63/000.p/255', [63, 0, 255]],
  ])('%s', (path, [level, number, width]) => {
    expect(parseTilePath(path)).toEqual({ level, number, width });
  });

  it.each([
    '',
    '0',
    '0/',
    '/000',
    '0/0',
    '0/00',
    '0/0000',
    '0/x000',
    '0/x000/067',
    '0/001/067',
    '0/x01/067',
    '0/x001/67',
    '0/x001//067',
    '0/x001/067/',
    '0/x001/x067',
    '00/000',
    '64/000',
    '-1/000',
    '+1/000',
    '0/000.p',
    '0/000.p/',
    '0/000.p/0',
    '0/000.p/01',
    '0/000.p/256',
    '0/000.p/1/',
    '0/000.p/1.p/1',
    '0/000.p/x001/000',
    '0/x001.p/1/000',
    '0/../000',
    'entries/000',
    'entries/000.p/1',
    '0/000\n',
    '0/٠٠٠',
    `0/${'x999/'.repeat(6)}999`,
  ])('not %j', (path) => {
    expect(parseTilePath(path)).toBeUndefined();
  });

  it('are within a tree of 70,000 as the specification says', () => {
    const isThere = (path: string) => {
      const tile = parseTilePath(path);
      return tile !== undefined && isWithin(tile, 70_000);
    };
    const there = [
      '0/000',
      '0/272',
      '0/273.p/112',
      '0/273.p/1',
      '1/000',
      '1/001.p/17',
      '2/000.p/1',
    ];
    const beyond = [
      '0/273',
      '0/273.p/113',
      '0/274.p/1',
      '1/001',
      '1/001.p/18',
      '2/000',
      '3/000.p/1',
    ];
    expect(there.filter(isThere)).toEqual(there);
    expect(beyond.filter(isThere)).toEqual([]);
  });
});
