import { cp, readFile, rm, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { countersign, Folder, type Finished } from './support/countersign.js';

const FINANCE = fileURLToPath(new URL('../../examples/finance/', import.meta.url));

let folder: Folder;

beforeEach(async () => {
  folder = await Folder.make();
  await cp(FINANCE, folder.path, { recursive: true });
});

afterEach(() => folder.remove());

async function cardDiff(...options: readonly string[]): Promise<Finished> {
  return countersign([
    'card-diff',
    ...options,
    folder.in('agents.json'),
    folder.in('agent-card.json'),
  ]);
}

async function edit(name: string, change: (text: string) => string): Promise<void> {
  const path = folder.in(name);
  await writeFile(path, change(await readFile(path, 'utf8')));
}

const LOOKUP = 'capabilities/lookup-invoice.json';
const OTHERS = ['dispute-invoice', 'match-invoice-lines', 'release-payment'];
const RECONCILE = 'capabilities/reconcile-invoice.json';

describe('countersign card-diff', () => {
  it('finds the card of the example as it was reviewed', async () => {
    expect(await cardDiff()).toEqual({
      exitCode: 0,
      stdout: '',
      stderr: 'The public card is as it was reviewed.\n',
    });
  });

  it('fails on a changed word, and shows it before and after', async () => {
    await edit(LOOKUP, (text) => text.replace('payment status', 'due date'));
    const { exitCode, stdout, stderr } = await cardDiff();
    expect(exitCode).toBe(1);
    const [before, after, ...rest] = stdout.trimEnd().split('\n');
    expect(before).toMatch(/^- \/skills\/lookup-invoice\/description: ".*payment status\."$/);
    expect(after).toMatch(/^\+ \/skills\/lookup-invoice\/description: ".*due date\."$/);
    expect(rest).toEqual([]);
    expect(stderr).toContain('Review every change');
  });

  it('does not fail on a change of what no public card shows', async () => {
    await edit(RECONCILE, (text) => text.replace('line-level', 'every'));
    await edit(LOOKUP, (text) => text.replace('finance-agents-team', 'another-team'));
    expect((await cardDiff()).exitCode).toBe(0);
  });

  it('fails on another schema of direct invokes, which callers rely on', async () => {
    await edit(LOOKUP, (text) => text.replace('INV-[0-9]{5}', 'INV-[0-9]{6}'));
    const { exitCode, stdout } = await cardDiff();
    expect(exitCode).toBe(1);
    expect(stdout.trimEnd().split('\n')).toEqual([
      expect.stringMatching(/^- .*\/params\/skills\/lookup-invoice\/inputSchema\/.*\{5\}/),
      expect.stringMatching(/^\+ .*\/params\/skills\/lookup-invoice\/inputSchema\/.*\{6\}/),
    ]);
  });

  it('fails when a capability becomes public', async () => {
    // Then nothing is left for an extended card.
    for (const id of OTHERS) await rm(folder.in(`capabilities/${id}.json`));
    await edit(RECONCILE, (text) =>
      text.replace('"extended"', '"public"').replace('["recon.run"]', '[]'),
    );
    const { exitCode, stdout } = await cardDiff();
    expect(exitCode).toBe(1);
    expect(stdout).toContain('+ /skills/reconcile-invoice/name: "Reconcile an invoice"');
    expect(stdout).toContain('- /capabilities/extendedAgentCard: true');
    expect(stdout).toContain('+ /skills (order): lookup-invoice, reconcile-invoice');
    expect(stdout).not.toContain('/skills/lookup-invoice/');
  });

  it('fails on a change of the profile', async () => {
    await edit('agents.json', (text) => text.replace('"1.0"', '"1.1"'));
    expect((await cardDiff()).stdout).toBe('- /version: "1.0.0"\n+ /version: "1.1.0"\n');
  });

  it('shows characters that would hide themselves', async () => {
    await edit(LOOKUP, (text) => text.replace('Finds an', 'Finds\u202e an'));
    expect((await cardDiff()).stdout).toContain('Finds\\u{202e} an');
  });

  it('accepts the card as it is with --write', async () => {
    await edit(LOOKUP, (text) => text.replace('payment status', 'due date'));
    expect((await cardDiff('--write')).exitCode).toBe(0);
    expect((await cardDiff()).exitCode).toBe(0);
  });

  it('takes a card that was never reviewed for new, all of it', async () => {
    await rm(folder.in('agent-card.json'));
    const { exitCode, stdout } = await cardDiff();
    expect(exitCode).toBe(1);
    expect(stdout.split('\n').every((line) => line === '' || line.startsWith('+ '))).toBe(true);
  });

  it.each<[code: string, break_: () => Promise<void>, options?: readonly string[]]>([
    ['agents-invalid', () => edit('agents.json', (text) => text.replace('"tenant"', '"tenants"'))],
    ['manifests-invalid', () => edit(LOOKUP, (text) => text.replace('"handler"', '"handle"'))],
    ['manifests-invalid', () => edit(RECONCILE, (text) => text.replace('"extended"', '"public"'))],
    ['manifests-invalid', () => edit(LOOKUP, (text) => text.slice(1))],
    ['json-syntax', () => edit('agent-card.json', () => '')],
    ['usage', async () => undefined, ['--agent', 'nobody']],
  ])('refuses with %s', async (code, break_, options = []) => {
    await break_();
    const { exitCode, stdout, stderr } = await cardDiff(...options);
    expect([exitCode, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(new RegExp(`^${code}: `));
  });
});
