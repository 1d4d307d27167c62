import { describe, expect, it } from '@jest/globals';
import { scenarioOf } from '../../../src/cli/tck/scenarios.js';

describe('the scenarios of the compatibility kit', () => {
  it('completes a task with the text that the kit looks for', () => {
    expect(scenarioOf('tck-complete-task-4f1c')).toEqual([
      { kind: 'completed', parts: [{ text: 'Hello from TCK' }] },
    ]);
  });

  it.each([
    ['tck-artifact-file-1', 'raw'],
    ['tck-artifact-file-url-1', 'url'],
    ['tck-artifact-data-1', 'data'],
    ['tck-artifact-text-1', 'text'],
    ['tck-stream-artifact-file-1', 'raw'],
  ])('takes %s by its longest prefix: an artifact with %s', (messageId, member) => {
    const parts = scenarioOf(messageId).flatMap((step) =>
      step.kind === 'artifact' ? step.artifact.parts : [],
    );
    expect(parts).toHaveLength(1);
    expect(parts[0]).toHaveProperty(member);
  });

  it.each([
    ['tck-message-response', ['message']],
    ['tck-input-required', ['input-required']],
    ['tck-reject-task', ['rejected']],
    ['tck-stream-001', ['working', 'artifact', 'completed']],
    ['tck-stream-002', ['completed']],
    ['tck-stream-003', ['working', 'artifact', 'completed']],
    ['tck-stream-ordering-001', ['working', 'artifact', 'completed']],
    ['tck-stream-artifact-chunked', ['working', 'artifact', 'artifact', 'completed']],
    ['test-resubscribe-message-id', ['working', 'wait', 'completed']],
    ['anything-else', ['completed']],
  ])('plays %s as %j', (prefix, kinds) => {
    expect(scenarioOf(`${prefix}-x`).map(({ kind }) => kind)).toEqual(kinds);
  });

  it('sends an artifact in chunks that add up', () => {
    const chunks = scenarioOf('tck-stream-artifact-chunked').filter(
      (step) => step.kind === 'artifact',
    );
    expect(chunks.map(({ append, lastChunk }) => [append, lastChunk])).toEqual([
      [false, false],
      [true, true],
    ]);
  });
});
