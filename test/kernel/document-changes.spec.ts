import { describe, expect, it } from '@jest/globals';
import { documentChanges } from '../../src/kernel/document-changes.js';

describe('the changes of a document', () => {
  it('are none between equal documents, whatever the order of their members', () => {
    expect(documentChanges({ a: [1, {}], b: null }, { b: null, a: [1, {}] })).toEqual([]);
  });

  it('are values that are new, gone or others, each by its pointer', () => {
    const before = { 'a/b': 1, gone: [], same: 'x', deep: { list: ['a', 'b'] } };
    const after = { 'a/b': '1', same: 'x', deep: { list: ['a'] }, more: {} };
    expect(documentChanges(before, after)).toEqual([
      { pointer: '/a~1b', before: '1', after: '"1"' },
      { pointer: '/gone', before: '[]', after: undefined },
      { pointer: '/deep/list/1', before: '"b"', after: undefined },
      { pointer: '/more', before: undefined, after: '{}' },
    ]);
  });

  it('find elements by their ids', () => {
    const [a, b, c] = [{ id: 'a', n: 1 }, { id: 'b' }, { id: 'c' }];
    expect(documentChanges([a, b], [c, { ...a, n: 2 }, b])).toEqual([
      { pointer: ' (order)', before: 'a, b', after: 'c, a, b' },
      { pointer: '/a/n', before: '1', after: '2' },
      { pointer: '/c/id', before: undefined, after: '"c"' },
    ]);
  });
});
