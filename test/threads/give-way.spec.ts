import { once } from 'node:events';
import { getPriority } from 'node:os';
import { describe, expect, it } from '@jest/globals';
import { startThread } from '../../src/threads/start-thread.js';

describe('a thread that gives way', () => {
  it('is of lower priority than its process, or of the same where threads have none of their own', async () => {
    const ofProcess = getPriority();
    const thread = startThread('./support/polite-thread', import.meta.url, {});
    const [told] = (await once(thread, 'message')) as [{ before: number; after: number }];
    await thread.terminate();
    const lowered = process.platform === 'linux' ? Math.max(ofProcess, 10) : ofProcess;
    expect(told).toEqual({ before: ofProcess, after: lowered });
    expect(getPriority()).toBe(ofProcess);
  });
});
