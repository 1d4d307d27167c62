import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { audit } from '../../../src/cli/audit.js';
import { goldenExport } from './support/golden-export.js';
import { LogServer } from './support/log-server.js';
import { logSigner, SignedLog } from './support/signed-log.js';

const operator = logSigner(21);

let server: LogServer;

beforeAll(async () => {
  server = await LogServer.start();
});

afterAll(async () => {
  await server.close();
});

/** An audit of a service whose log this is, but for the line at this place. */
async function audited(log: SignedLog, damaged: number, ...sizes: readonly number[]) {
  const lines = log.lines.with(damaged, '<html>502 Bad Gateway</html>');
  const listed = sizes.map((size) => log.note(operator, size));
  server.log = { lines, newest: log.note(operator), listed };
  const trust = ['--trust', operator.verifierKey];
  const output = await audit.run([server.url, '--token', 'opaque', '--threads', '1', ...trust]);
  return output.ok ? output.value : output.error.code;
}

it('what stands before the damage is told, with the checkpoints that it leads to', async () => {
  expect(await audited(SignedLog.of('a', 'b', 'c', 'd'), 5, 6, 4)).toEqual({
    exitCode: 2,
    stdout: expect.stringMatching(
      new RegExp(
        [
          '^verified +checkpoint +4 entries',
          '5 entries, root [^\n]+',
          'states were not compared: the log was not read to its end',
          'not read to its end\n$',
        ].join('\n'),
      ),
    ) as unknown,
    stderr: expect.stringMatching(/^events-malformed: line 6 is no event of this log/) as unknown,
  });
});

it('what fails before the damage fails', async () => {
  const lines = goldenExport('negotiated-amended-completed').map((line) =>
    line.includes('"type":"revision-attested"') ? line.replace(/"value":"./, '"value":"A') : line,
  );
  const attested = lines.findIndex((line) => line.includes('"type":"revision-attested"'));
  const last = lines.length - 1;
  for (const [damaged, exitCode] of [
    [attested, 2],
    [last, 1],
  ] as const) {
    const told = await audited(new SignedLog(lines), damaged);
    expect(told).toMatchObject({
      exitCode,
      stderr: expect.stringMatching(/^events-malformed: line \d+ is no event/) as unknown,
      stdout: (exitCode === 1
        ? expect.stringMatching(/^failed +attestation .*[^]*\nfailed\n$/m)
        : expect.stringMatching(/\nnot read to its end\n$/)) as unknown,
    });
  }
});

it('of a log whose first line is no event nothing is told', async () => {
  expect(await audited(SignedLog.of('a'), 0)).toBe('events-malformed');
});
