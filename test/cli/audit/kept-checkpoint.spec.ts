import { existsSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { audit } from '../../../src/cli/audit.js';
import { Folder } from '../support/countersign.js';
import { goldenExport } from './support/golden-export.js';
import { LogServer, type ServedLog } from './support/log-server.js';
import { logSigner, SignedLog } from './support/signed-log.js';

const operator = logSigner(21);
const stranger = logSigner(23);

const honest = SignedLog.of('a', 'b');
const grown = SignedLog.of('a', 'b', 'c', 'd');
/** The same operator shows these to somebody else. */
const fork = SignedLog.of('a', 'x');
const grownFork = SignedLog.of('a', 'x', 'c', 'd');
const shorter = SignedLog.of('a');

let folder: Folder;
let server: LogServer;
let runs = 0;
let state: string;

beforeAll(async () => {
  folder = await Folder.make();
  server = await LogServer.start();
});

afterAll(async () => {
  await server.close();
  await folder.remove();
});

beforeEach(() => {
  state = folder.in(`state-${String(++runs)}`);
});

interface Told {
  readonly exitCode: number | undefined;
  readonly stdout: string;
}

async function told(...args: readonly string[]): Promise<Told> {
  const output = await audit.run([...args, '--threads', '1']);
  if (!output.ok) throw new Error(`${output.error.code}: ${output.error.detail}`);
  return { exitCode: output.value.exitCode, stdout: output.value.stdout };
}

/** An audit with `--state`, of a log with this newest checkpoint. */
type Auditing = (log: SignedLog, note: string, ...trust: readonly string[]) => Promise<Told>;

const trusting = (trust: readonly string[]): readonly string[] =>
  trust.flatMap((each) => ['--trust', each]);

const served = (log: ServedLog, ...trust: readonly string[]): Promise<Told> => {
  server.log = log;
  return told(server.url, '--token', 'opaque', '--state', state, ...trusting(trust));
};

const live: Auditing = ({ lines }, note, ...trust) =>
  served({ lines, newest: note, listed: [note] }, ...trust);

const offline: Auditing = async ({ lines }, note, ...trust) => {
  const file = await folder.file('log.ndjson', lines.map((line) => `${line}\n`).join(''));
  const checkpoint = await folder.file('checkpoint', note);
  return told(file, '--checkpoint', checkpoint, '--state', state, ...trusting(trust));
};

const kept = (): string => readFileSync(state, 'utf8');

/** The lines of one check, without their explanations. */
const linesOf = (check: string, { stdout }: Told): readonly string[] =>
  stdout
    .split('\n')
    .filter((line) => new RegExp(`^[a-z ]+ ${check} `).test(line))
    .map((line) => line.replace(/:.*/, '').replace(/ {2,}/g, ' '));

const SOMETHING_FAILED = '\nnothing kept: something failed\nfailed\n';

describe.each([
  ['a service', live],
  ['an export', offline],
])('an audit of %s with --state', (_, audited) => {
  const keep = async (log: SignedLog): Promise<string> => {
    const note = log.note(operator);
    const first = await audited(log, note, operator.verifierKey);
    expect([first.exitCode, kept()]).toEqual([0, note]);
    return note;
  };

  it('keeps the checkpoint that a trusted key has signed', async () => {
    const run = await audited(honest, honest.note(operator), operator.verifierKey);
    expect(run.exitCode).toBe(0);
    expect(run.stdout).toMatch(/\nkept: the checkpoint of 5 entries\nverified\n$/);
    expect(kept()).toBe(honest.note(operator));
  });

  it('keeps the newest when the log has grown', async () => {
    await keep(honest);
    const run = await audited(grown, grown.note(operator), operator.verifierKey);
    expect(run.exitCode).toBe(0);
    expect(linesOf('consistency', run)).toEqual(['verified consistency 5 entries']);
    expect(run.stdout).toContain('\nkept: the checkpoint of 7 entries\n');
    expect(kept()).toBe(grown.note(operator));
  });

  it.each([
    ['a fork of the same size', fork, 'consistency-broken'],
    ['a fork that is larger', grownFork, 'consistency-broken'],
    ['a log that is shorter', shorter, 'log-shorter'],
  ])('tells %s from what was kept, though the same key signed it', async (_name, other, reason) => {
    const note = await keep(honest);
    const run = await audited(other, other.note(operator), operator.verifierKey);
    expect(run.exitCode).toBe(1);
    expect(linesOf('consistency', run)).toEqual([`failed consistency 5 entries ${reason}`]);
    expect(linesOf('checkpoint', run)).toEqual([
      `verified checkpoint ${String(other.size)} entries`,
    ]);
    expect(run.stdout).toContain(SOMETHING_FAILED);
    expect(kept()).toBe(note);
  });

  it('gives what was kept not up for an older one', async () => {
    const note = await keep(grown);
    const run = await audited(grown, grown.note(operator, 5), operator.verifierKey);
    expect(run.exitCode).toBe(0);
    expect(linesOf('consistency', run)).toEqual(['verified consistency 7 entries']);
    expect(run.stdout).toContain(
      '\nnothing kept: the checkpoint of 5 entries is older than the one that is kept\n',
    );
    expect(kept()).toBe(note);
  });

  it.each([
    ['a key that nobody named', [operator.verifierKey]],
    ['any key, none being named', []],
  ])('keeps nothing that was signed by %s', async (_name, trust) => {
    const run = await audited(fork, fork.note(stranger), ...trust);
    expect(run.exitCode).toBe(3);
    expect(run.stdout).toContain(
      '\nnothing kept: the checkpoint of 5 entries is not verified, which takes a key that --trust names\n',
    );
    expect(existsSync(state)).toBe(false);
  });

  it('keeps nothing for going on from a trusted checkpoint alone', async () => {
    const trusted = await folder.file('trusted', honest.note(operator));
    const run = await audited(grown, grown.note(stranger), trusted);
    expect(run.exitCode).toBe(3);
    expect(linesOf('consistency', run)).toEqual(['verified consistency 5 entries']);
    expect(existsSync(state)).toBe(false);
  });

  it("gives what was kept not up for a stranger's, and knows the log again", async () => {
    const note = await keep(honest);
    const forged = SignedLog.of('a', 'b', 'forged', 'forged-too');
    const run = await audited(forged, forged.note(stranger), operator.verifierKey);
    expect(run.exitCode).toBe(3);
    expect(linesOf('consistency', run)).toEqual(['verified consistency 5 entries']);
    expect(linesOf('checkpoint', run)).toEqual([
      'not checkable checkpoint 7 entries checkpoint-unsigned',
    ]);
    expect(kept()).toBe(note);
    const again = await audited(grown, grown.note(operator), operator.verifierKey);
    expect([again.exitCode, kept()]).toEqual([0, grown.note(operator)]);
  });

  it('keeps nothing of a log in which an event fails', async () => {
    const lines = goldenExport('negotiated-amended-completed').map((line) =>
      line.includes('"type":"revision-attested"') ? line.replace(/"value":"./, '"value":"A') : line,
    );
    const wrong = new SignedLog(lines);
    const run = await audited(wrong, wrong.note(operator), operator.verifierKey);
    expect(run.exitCode).toBe(1);
    expect(linesOf('checkpoint', run)).toEqual([
      `verified checkpoint ${String(lines.length)} entries`,
    ]);
    expect(linesOf('attestation', run)).not.toEqual([]);
    expect(run.stdout).toContain(SOMETHING_FAILED);
    expect(existsSync(state)).toBe(false);
  });
});

it('an export without a checkpoint leaves nothing to keep', async () => {
  const file = await folder.file('alone.ndjson', honest.lines.map((line) => `${line}\n`).join(''));
  const run = await told(file, '--state', state, '--trust', operator.verifierKey);
  expect(run.exitCode).toBe(3);
  expect(run.stdout).toContain('\nnothing kept: no checkpoint was given\n');
  expect(existsSync(state)).toBe(false);
});

it('of an export that is damaged nothing is kept', async () => {
  const text = grown.lines.map((line, nth) => (nth === 6 ? '{}\n' : `${line}\n`)).join('');
  const file = await folder.file('damaged.ndjson', text);
  const checkpoint = await folder.file('of-its-beginning', grown.note(operator, 5));
  const trust = ['--trust', operator.verifierKey];
  const run = await told(file, '--checkpoint', checkpoint, '--state', state, ...trust);
  expect(run.exitCode).not.toBe(0);
  expect(run.stdout).toContain('\nnothing kept: the log was not read to its end\n');
  expect(existsSync(state)).toBe(false);
});

it('of an export the newest checkpoint is kept, in whichever order they are given', async () => {
  const file = await folder.file('grown.ndjson', grown.lines.map((line) => `${line}\n`).join(''));
  const older = await folder.file('older', grown.note(operator, 5));
  const newer = await folder.file('newer', grown.note(operator));
  const checkpoints = [newer, older].flatMap((each) => ['--checkpoint', each]);
  const run = await told(file, ...checkpoints, '--state', state, '--trust', operator.verifierKey);
  expect([run.exitCode, kept()]).toEqual([0, grown.note(operator)]);
});

describe('the checkpoints of a service', () => {
  it('are each judged once, the newest too', async () => {
    const forged = fork.note(operator);
    const { lines } = honest;
    const listed = [forged, honest.note(operator, 4)];
    const run = await served({ lines, newest: forged, listed }, operator.verifierKey);
    expect(run.exitCode).toBe(1);
    expect(linesOf('checkpoint', run)).toEqual([
      'verified checkpoint 4 entries',
      'failed checkpoint 5 entries root-mismatch',
    ]);
  });

  it('are read to the last that is listed, where another node lags', async () => {
    const [newer, older] = [grown.note(operator), grown.note(operator, 5)];
    const { lines } = grown;
    const run = await served({ lines, newest: older, listed: [newer] }, operator.verifierKey);
    expect([run.exitCode, kept()]).toEqual([0, older]);
    expect(run.stdout).toMatch(/^7 entries, root /m);
  });
});
