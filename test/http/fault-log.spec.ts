import { describe, expect, it } from '@jest/globals';
import { logFault, logReport } from '../../src/http/fault-log.js';
import { logOf } from '../support/captured-log.js';

async function entryOf(log: () => void): Promise<unknown> {
  const [line = '', ...more] = await logOf(async () => Promise.resolve(log()));
  expect(more).toEqual([]);
  expect(line.endsWith('\n')).toBe(true);
  return JSON.parse(line);
}

describe('the log', () => {
  it('tells of a report what went wrong, and of what it is about', async () => {
    const error = new Error('no such column', { cause: new Error('disk I/O error') });
    const entry = await entryOf(() => {
      logReport('an event could not be applied', { projection: 'interaction-list', error });
    });
    expect(entry).toMatchObject({
      level: 'warn',
      message: 'an event could not be applied',
      projection: 'interaction-list',
      error: { name: 'Error', message: 'no such column', cause: 'disk I/O error' },
    });
  });

  it('is not alarmed by what says that it is information', async () => {
    const entry = await entryOf(() => {
      logReport('a file was loaded', { level: 'info', file: 'a.json' });
    });
    expect(entry).toMatchObject({ level: 'info', message: 'a file was loaded', file: 'a.json' });
  });

  it('tells of a fault its stack and the request that met it', async () => {
    const entry = await entryOf(() => {
      logFault(new TypeError('x is undefined'), 'a-correlation-id');
    });
    expect(entry).toMatchObject({
      level: 'error',
      correlationId: 'a-correlation-id',
      name: 'TypeError',
      stack: expect.stringContaining('fault-log.spec'),
    });
  });

  it('takes whatever was thrown', async () => {
    expect(
      await entryOf(() => {
        logFault('just a text', 'an-id');
      }),
    ).toMatchObject({ message: 'just a text' });
  });
});
