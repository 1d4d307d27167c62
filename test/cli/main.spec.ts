import { readFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import { countersign } from './support/countersign.js';

describe('countersign', () => {
  it('tells its commands', async () => {
    const { exitCode, stdout } = await countersign(['--help']);
    expect(exitCode).toBe(0);
    for (const name of ['keygen', 'token', 'hash', 'sign', 'verify', 'audit', 'card-diff'])
      expect(stdout).toContain(name);
  });

  it.each(['keygen', 'token', 'hash', 'sign', 'verify', 'audit', 'card-diff'])(
    '%s --help tells its usage',
    async (name) => {
      const { exitCode, stdout, stderr } = await countersign([name, '--help']);
      expect([exitCode, stderr]).toEqual([0, '']);
      expect(stdout).toMatch(new RegExp(`^Usage: countersign ${name} `));
      expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(100);
    },
  );

  it('tells its version', async () => {
    const { version } = JSON.parse(
      await readFile(new URL('../../package.json', import.meta.url), 'utf8'),
    ) as { version: string };
    expect(await countersign(['--version'])).toEqual({
      exitCode: 0,
      stdout: `${version}\n`,
      stderr: '',
    });
  });

  it.each([[[]], [['constructor']], [['Hash', '-']]])('%j is no command', async (args) => {
    const { exitCode, stdout, stderr } = await countersign(args);
    expect([exitCode, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/^usage: no command/);
  });

  it('ends with a code that is no verdict when something happens that nobody foresaw', async () => {
    const script = `process.on('newListener', (name) => {
      if (name !== 'uncaughtException') return;
      setImmediate(() => { throw new RangeError('too deep'); });
    });`;
    const { exitCode, stderr } = await countersign(['token', '--help'], '', {
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(script)}`,
    });
    expect([exitCode, stderr]).toEqual([
      2,
      expect.stringMatching(/^internal-error: RangeError: too deep\n/),
    ]);
  });
});
