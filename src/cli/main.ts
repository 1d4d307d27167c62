#!/usr/bin/env node
import { createRequire } from 'node:module';
import type { CliFault } from './cli-fault.js';
import type { Command } from './command.js';
import { printable, visible } from './printable.js';

const USAGE = `Usage: countersign COMMAND [options]
       countersign --version

  keygen     make an Ed25519 key pair
  token      mint an access token of the local issuer
  hash       print the terms hash of a contract
  sign       sign a statement
  verify     verify an interaction document or an evidence bundle offline
  audit      recompute a whole log, and compare it with what the service answers
  card-diff  compare a generated agent card with the reviewed one
  card-size  tell what each skill costs the readers of a card

countersign COMMAND --help tells more. Exit code 2: the command could not do its work; the code of
the reason is on stderr.
`;

/** Each command is loaded only when it runs, so that none waits for what another needs. */
const COMMANDS = new Map<string, () => Promise<Command>>([
  ['keygen', async () => (await import('./keygen.js')).keygen],
  ['token', async () => (await import('./token.js')).token],
  ['hash', async () => (await import('./hash.js')).hash],
  ['sign', async () => (await import('./sign.js')).sign],
  ['verify', async () => (await import('./verify.js')).verify],
  ['audit', async () => (await import('./audit.js')).audit],
  ['card-size', async () => (await import('./card-size.js')).cardSize],
  ['card-diff', async () => (await import('./card-diff.js')).cardDiff],
]);

const HELP = new Set(['--help', '-h']);

// What nobody foresaw is no verdict: 1, which node would end with, is one of several commands.
process.on('uncaughtException', (error) => {
  process.exit(failUnforeseen(error));
});

// A reader that has seen enough (`| head`) is no fault of ours.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') return;
  process.exit(fail({ code: 'output-unwritable', detail: `stdout (${error.code ?? 'unknown'})` }));
});

process.exitCode = await main(process.argv.slice(2));

async function main([name = '', ...args]: readonly string[]): Promise<number> {
  if (HELP.has(name) || name === 'help') {
    process.stdout.write(USAGE);
    return 0;
  }
  if (name === '--version') {
    process.stdout.write(`${version()}\n`);
    return 0;
  }
  const load = COMMANDS.get(name);
  if (load === undefined) {
    const exitCode = fail({ code: 'usage', detail: `no command ${name}`.trimEnd() });
    process.stderr.write(USAGE);
    return exitCode;
  }
  const command = await load();
  if (args.some((arg) => HELP.has(arg))) {
    process.stdout.write(command.usage);
    return 0;
  }
  const output = await command.run(args);
  if (!output.ok) return fail(output.error);
  process.stdout.write(output.value.stdout);
  process.stderr.write(output.value.stderr ?? '');
  return output.value.exitCode ?? 0;
}

/** Of the package, which lies above dist. */
function version(): string {
  return (createRequire(import.meta.url)('../../package.json') as { version: string }).version;
}

/** A fault of ours: its frames are for whoever it is reported to. */
function failUnforeseen(error: unknown): number {
  const exitCode = fail({ code: 'internal-error', detail: String(error) });
  const frames = error instanceof Error ? (error.stack?.match(/^ +at .*$/gm) ?? []) : [];
  process.stderr.write(frames.map((frame) => `${visible(frame)}\n`).join(''));
  return exitCode;
}

function fail({ code, detail }: CliFault): number {
  process.stderr.write(`${code}: ${printable(detail)}\n`);
  return 2;
}
