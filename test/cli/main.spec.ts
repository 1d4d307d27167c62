import { describe, expect, it } from '@jest/globals';
import { countersign } from './support/countersign.js';

describe('countersign', () => {
  it('tells its commands', async () => {
    const { exitCode, stdout } = await countersign(['--help']);
    expect(exitCode).toBe(0);
    for (const name of ['keygen', 'token', 'hash', 'sign', 'verify'])
      expect(stdout).toContain(name);
  });

  it.each(['keygen', 'token', 'hash', 'sign', 'verify'])(
    '%s --help tells its usage',
    async (name) => {
      const { exitCode, stdout, stderr } = await countersign([name, '--help']);
      expect([exitCode, stderr]).toEqual([0, '']);
      expect(stdout).toMatch(new RegExp(`^Usage: countersign ${name} `));
      expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(100);
    },
  );

  it.each([[[]], [['constructor']], [['Hash', '-']]])('%j is no command', async (args) => {
    const { exitCode, stdout, stderr } = await countersign(args);
    expect([exitCode, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/^usage: no command/);
  });
});
