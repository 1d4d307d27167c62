import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { formatNoteKey } from '../../src/kernel/note-key.js';
import { adding, BEFORE, changes, revoking, second } from '../audit/support/beta-story.js';
import {
  betaKey,
  golden,
  goldenBundle,
  logKey,
  otherLogKey,
  preludeOf,
  witnessKey,
} from '../audit/support/bundles.js';
import { negotiated } from '../audit/support/documents.js';
import { countersign, Folder } from './support/countersign.js';

const bundle = goldenBundle('rejected');
const key = formatNoteKey(logKey);

let folder: Folder;
let file: string;
beforeAll(async () => {
  folder = await Folder.make();
  file = await folder.file('bundle.json', bundle);
});
afterAll(() => folder.remove());

const last = (stdout: string): string => stdout.trimEnd().split('\n').at(-1) ?? '';

describe('a bundle is verified by what the user trusts', () => {
  it('a key: one line per check, then the verdict and the state that it is about', async () => {
    const { exitCode, stdout, stderr } = await countersign(['verify', file, '--trust', key]);
    expect([exitCode, stderr]).toEqual([0, '']);
    expect(last(stdout)).toBe(
      `verified: interaction ${bundle.interactionId} is rejected as of entry 8 of 9`,
    );
    expect(stdout).toMatch(/^verified +inclusion +interaction-.*@2$/m);
    const checks = stdout.trimEnd().split('\n').length - 2;
    expect(stdout).toContain(
      `\nchecks: ${String(checks)} verified, 0 failed, 0 not checkable, 0 erased\n`,
    );
  });

  it('a file with a key, and a kept checkpoint', async () => {
    const inFile = await folder.file('log.vkey', `${key}\n`);
    const kept = await folder.file('checkpoint.txt', bundle.checkpoint);
    const args = ['verify', file, '--trust', inFile, '--trust', kept];
    expect((await countersign(args)).exitCode).toBe(0);
    expect((await countersign(['verify', file, '--trust', kept])).exitCode).toBe(0);
  });

  it('a witness that is asked for', async () => {
    const args = ['verify', file, '--trust', key, '--witness', formatNoteKey(witnessKey)];
    const { exitCode, stdout } = await countersign(args);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^verified +witness +witness.example/m);
  });

  it('the key of another log: failed', async () => {
    const args = ['verify', file, '--trust', formatNoteKey(otherLogKey)];
    const { exitCode, stdout } = await countersign(args);
    expect(exitCode).toBe(1);
    expect(last(stdout)).toMatch(/^failed: /);
  });

  it('an event of an agent that the rules do not allow: failed', async () => {
    const told = golden('rejected');
    const twice = [second.keyId, second.keyId].map((keyId) => revoking(keyId, betaKey));
    const changed = changes(BEFORE, [adding(second, betaKey), ...twice]);
    const log = [...preludeOf(told), ...changed, ...told.events];
    const given = JSON.stringify(goldenBundle('rejected', { log }));
    const { exitCode, stdout } = await countersign(['verify', '-', '--trust', key], given);
    expect(exitCode).toBe(1);
    expect(stdout).toMatch(/^failed +transition +agent-agent-beta@3 +illegal-transition: /m);
    expect(stdout.match(/^failed /gm)).toHaveLength(1);
  });

  it('something missing: not checkable, and named', async () => {
    const { 'platform-keys': _, ...streams } = bundle.streams;
    const given = JSON.stringify({ ...bundle, streams });
    const { exitCode, stdout } = await countersign(['verify', '-', '--trust', key], given);
    expect(exitCode).toBe(3);
    expect(stdout).toMatch(/^not checkable +stream +platform-keys +stream-missing: /m);
    expect(last(stdout)).toMatch(/^not checkable: /);
  });
});

describe('exit code 2', () => {
  it.each<[string, () => readonly string[]]>([
    ['usage', () => [file]],
    ['usage', () => [file, '--keys', file]],
    ['usage', () => [file, '--witness', formatNoteKey(witnessKey)]],
    ['trust-invalid', () => [file, '--trust', 'no-such-file']],
    ['trust-invalid', () => [file, '--trust', file]],
    ['trust-invalid', () => [file, '--trust', formatNoteKey(witnessKey)]],
    ['trust-invalid', () => [file, '--trust', key, '--witness', key]],
  ])('%s (%#)', async (code, args) => {
    const { exitCode, stdout, stderr } = await countersign(['verify', ...args()]);
    expect([exitCode, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(new RegExp(`^${code}: `));
  });

  it('a document is not verified by trust in a log', async () => {
    const args = ['verify', '-', '--trust', key];
    const { exitCode, stderr } = await countersign(args, JSON.stringify(negotiated()));
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/^usage: a document is verified by --keys alone/);
  });

  it.each<[string, unknown, RegExp]>([
    ['a refusal', { status: 503, code: 'checkpoint-behind' }, /refusal .*, checkpoint-behind,/],
    ['of an erased one too', { status: 410, code: 'interaction-erased' }, /interaction-erased/],
    ['some object', { status: 'active' }, /neither an interaction document .* nor an evidence/],
    ['a list', [], /neither an interaction document/],
    ['null', null, /neither an interaction document/],
  ])('what is neither document nor bundle is told as what it is: %s', async (_, given, told) => {
    const args = ['verify', '-', '--trust', key];
    const { exitCode, stdout, stderr } = await countersign(args, JSON.stringify(given));
    expect([exitCode, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/^document-invalid: /);
    expect(stderr).toMatch(told);
  });

  it('trust in a file says whether it is there', async () => {
    const faultOf = async (trust: string) =>
      (await countersign(['verify', file, '--trust', trust])).stderr;
    expect(await faultOf('no-such-file')).toMatch(/no-such-file is no .*there is no such file/);
    expect(await faultOf(file)).toMatch(/nor a file with one/);
  });
});
