import { describe, expect, it } from '@jest/globals';
import { withArtifact } from '../../../../src/a2a/tasks/domain/artifacts.js';
import { shownTask } from '../../../../src/a2a/tasks/domain/shown-task.js';
import { originOf } from '../../../../src/a2a/tasks/domain/webhook-origin.js';
import type { Artifact, Task } from '../../../../src/a2a/wire/types.js';
import { retryDelayMs, RETRY } from '../../../../src/a2a/tasks/webhooks/retry-timing.js';
import { message, text } from '../support/fixtures.js';

const history = ['1', '2', '3'].map((messageId) => message({ messageId }));
const TASK: Task = {
  id: 't',
  contextId: 'c',
  status: { state: 'TASK_STATE_WORKING', timestamp: '2030-01-01T00:00:00.000Z' },
  history,
  artifacts: [{ artifactId: 'a', parts: text('x') }],
};

describe('history (A2A v1.0 section 3.2.4)', () => {
  it.each([
    [undefined, ['1', '2', '3']],
    [0, undefined],
    [1, ['3']],
    [2, ['2', '3']],
    [99, ['1', '2', '3']],
  ])('of length %p', (historyLength, expected) => {
    const shown = shownTask(TASK, { historyLength, includeArtifacts: true });
    expect(shown.history?.map(({ messageId }) => messageId)).toEqual(expected);
    expect('history' in shown).toBe(expected !== undefined);
    expect(shown.artifacts).toEqual(TASK.artifacts);
  });

  it('and artifacts, unless they are not wanted', () => {
    expect(
      shownTask(TASK, { historyLength: undefined, includeArtifacts: false }),
    ).not.toHaveProperty('artifacts');
  });
});

describe('an artifact update', () => {
  const a: Artifact = { artifactId: 'a', name: 'A', parts: text('1'), metadata: { x: 1 } };

  it('of a new id comes last, of a known one takes its place', () => {
    const b: Artifact = { artifactId: 'b', parts: text('2') };
    const other: Artifact = { artifactId: 'a', parts: text('3') };
    expect(withArtifact([a], b, false)).toEqual([a, b]);
    expect(withArtifact([a], b, true)).toEqual([a, b]);
    expect(withArtifact([a, b], other, false)).toEqual([other, b]);
  });

  it('that is appended adds its parts, and keeps what it does not say anew', () => {
    const more: Artifact = { artifactId: 'a', parts: text('2'), metadata: { y: 2 } };
    expect(withArtifact([a], more, true)).toEqual([
      { artifactId: 'a', name: 'A', parts: [...text('1'), ...text('2')], metadata: { x: 1, y: 2 } },
    ]);
  });
});

it('the pauses between tries double, are bounded, vary by chance, and heed Retry-After', () => {
  const delays = (chance: number, retryAfterMs: number | null = null) =>
    [1, 2, 3, 20, 1000].map((tries) => retryDelayMs(RETRY, tries, retryAfterMs, chance));
  expect(delays(0)).toEqual([500, 1000, 2000, 150_000, 150_000]);
  expect(delays(1)).toEqual([1000, 2000, 4000, 300_000, 300_000]);
  expect(delays(0, 3000)).toEqual([3000, 3000, 3000, 150_000, 150_000]);
  expect(delays(0, 999_999_000)).toEqual([300_000, 300_000, 300_000, 300_000, 300_000]);
});

it('webhooks of one scheme, host and port share their troubles', () => {
  expect(originOf('https://A.example:8443/x?y#z')).toBe('https://a.example:8443');
  expect(originOf('https://a.example?x')).toBe('https://a.example');
});
