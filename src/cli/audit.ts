import { availableParallelism } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import type { Trust } from '../audit/verify/trust.js';
import { parseSignedCheckpoint, type SignedCheckpoint } from '../kernel/checkpoint.js';
import { err, ok, type Result } from '../kernel/result.js';
import { TOKEN_VARIABLE, tokenOfEnvironment } from '../config/token-variable.js';
import { auditExport, type ExportAudit } from './audit/audit-export.js';
import { AuditFault } from './audit/audit-fault.js';
import { reportOf } from './audit/audit-report.js';
import { LogFollower, type ServiceAudit } from './audit/log-follower.js';
import { requireWholeSight } from './audit/audit-token.js';
import { keepCheckpoint, readKeptCheckpoint } from './audit/kept-checkpoint.js';
import { ServiceClient } from './audit/service-client.js';
import { cliFault, type CliFault } from './cli-fault.js';
import type { Command, CommandOutput } from './command.js';
import { isWebAddress } from './fetch-json.js';
import { readText } from './input.js';
import { parseArguments } from './parse-arguments.js';
import { readTrust } from './read-trust.js';

const usage = `Usage: countersign audit URL [--trust KEY|FILE]... [--state FILE] [--token TOKEN] [--follow]
       countersign audit FILE|- [--trust KEY|FILE]... [--checkpoint FILE]... [--state FILE]

Recomputes a log from its first event on: every leaf and the tree, every signature, the state of
every interaction. The log is that of a live service, up to its newest checkpoint, or an export:

  curl -fsS -H 'Accept: application/x-ndjson' -H 'Authorization: Bearer …' URL/v1/events > FILE

Of a live service every checkpoint that it lists is checked, and every interaction is asked for and
compared with what the log leads to, as of the last entry that was read.

  --trust KEY|FILE   a verifier key of the log (as /v1/log gives it, but from a source that you
                     trust), a file with one, or a file with a checkpoint that you keep; may be
                     repeated. Without any the log is at best not checkable: nobody vouches for it
  --state FILE       where the newest checkpoint is kept, if a key that --trust names has signed it,
                     everything leads to it and nothing failed: the next audit demands that the log
                     still begins with it. The file is the signed note itself
  --checkpoint FILE  of an export: the signed note of a checkpoint that its entries must lead to,
                     fetched from URL/log/checkpoint before the export
  --token TOKEN      bearer token with the scope audit:read-all; better in ${TOKEN_VARIABLE}
  --follow           stay, and audit what comes; ends at the first thing that is wrong
  --every SECONDS    between two looks, 10 by default
  --threads N        as many as there are processors by default

Every run reads the whole log again, and believes nothing of an earlier one but the checkpoint.

What is not checkable because the log tells that the texts are erased is told as erased, of each
interaction in one line; a last line that ends with "(only erased texts)" says that nothing else is
missing.

Of a log that is damaged behind its first event, what stands before the damage is audited and told.

Exit code 0: everything is verified; 1: something failed; 2: an input cannot be used, its code is on
stderr; 3: nothing failed, but something is not checkable; 4: nothing failed, but the service
answers otherwise than its log says for an interaction, and where is told.
`;

const OPTIONS = {
  trust: { type: 'string', multiple: true },
  state: { type: 'string' },
  checkpoint: { type: 'string', multiple: true },
  token: { type: 'string' },
  follow: { type: 'boolean' },
  every: { type: 'string' },
  threads: { type: 'string' },
} as const;

interface Settings {
  readonly source: string;
  readonly trust: Trust;
  readonly state: string | undefined;
  readonly checkpoints: readonly string[];
  readonly token: string | undefined;
  readonly follow: boolean;
  readonly everyMs: number;
  readonly threads: number;
}

export const audit: Command = {
  usage,
  async run(args) {
    const settings = await readSettings(args);
    if (!settings.ok) return settings;
    try {
      const { source } = settings.value;
      return ok(await (isWebAddress(source) ? auditLive : auditFile)(settings.value));
    } catch (error) {
      if (error instanceof AuditFault) return err(error.fault);
      throw error;
    }
  },
};

async function readSettings(args: readonly string[]): Promise<Result<Settings, CliFault>> {
  const parsed = parseArguments(args, OPTIONS, 1);
  if (!parsed.ok) return parsed;
  const [source = '-'] = parsed.value.positionals;
  const { state, checkpoint = [], token, follow = false } = parsed.value.values;
  const { every = '10', threads = String(availableParallelism()) } = parsed.value.values;
  if (!/^[1-9]\d{0,4}$/.test(every)) return err(cliFault('usage', '--every is 1 to 99999 seconds'));
  if (!/^([1-9]|[1-5]\d|6[0-4])$/.test(threads)) {
    return err(cliFault('usage', '--threads is 1 to 64'));
  }
  const isLive = isWebAddress(source);
  if (isLive && checkpoint.length > 0) {
    return err(cliFault('usage', '--checkpoint is for an export: a service lists its own'));
  }
  if (!isLive && follow) return err(cliFault('usage', 'only a live service can be followed'));
  const trust = await readTrust(parsed.value.values.trust ?? [], []);
  if (!trust.ok) return trust;
  return ok({
    source,
    trust: trust.value,
    state,
    checkpoints: checkpoint,
    token: token ?? tokenOfEnvironment(),
    follow,
    everyMs: Number(every) * 1000,
    threads: Number(threads),
  });
}

async function auditFile(settings: Settings): Promise<CommandOutput> {
  const { source, trust, state, threads } = settings;
  const published = await Promise.all(settings.checkpoints.map(readCheckpoint));
  const kept = state === undefined ? undefined : await readKeptCheckpoint(state);
  return await told(
    state,
    await auditExport({ file: source, trust, published, kept, threads, tell }),
  );
}

async function auditLive(settings: Settings): Promise<CommandOutput> {
  const { source, trust, state, threads, token, follow, everyMs } = settings;
  if (token === undefined) {
    throw new AuditFault('usage', `a token is required: --token, or ${TOKEN_VARIABLE}`);
  }
  requireWholeSight(token);
  const client = ServiceClient.at(source, token);
  const kept = state === undefined ? undefined : await readKeptCheckpoint(state);
  const follower = new LogFollower({ client, trust, kept, threads, tell });
  try {
    for (;;) {
      const output = await told(state, await follower.look());
      const mayGoOn = output.exitCode === 0 || output.exitCode === 3;
      if (!follow || !mayGoOn) return output;
      process.stdout.write(output.stdout);
      await delay(everyMs);
    }
  } finally {
    await follower.end();
  }
}

/** Keeps what is to be kept, and tells all of it. */
async function told(
  state: string | undefined,
  { report, keeping }: ExportAudit | ServiceAudit,
): Promise<Required<CommandOutput>> {
  if (state === undefined) return reportOf(report, null);
  if (keeping.ok) await keepCheckpoint(state, keeping.value);
  return reportOf(report, keeping);
}

async function readCheckpoint(file: string): Promise<SignedCheckpoint> {
  const text = await readText(file, MAX_NOTE_BYTES);
  if (!text.ok) throw new AuditFault(text.error.code, text.error.detail);
  const checkpoint = parseSignedCheckpoint(text.value);
  if (checkpoint === undefined) {
    throw new AuditFault('checkpoint-malformed', `${file} holds no signed checkpoint`);
  }
  return checkpoint;
}

const MAX_NOTE_BYTES = 256 * 1024;

/** To whoever waits. */
function tell(line: string): void {
  process.stderr.write(`${line}\n`);
}
