import { REASONS, type CheckResult, type Verdict } from '../audit/verify/check-result.js';
import { parseVerificationKeys } from '../audit/verify/verification-keys.js';
import { verifyInteraction } from '../audit/verify/verify-interaction.js';
import { err, ok } from '../kernel/result.js';
import { cliFault } from './cli-fault.js';
import type { Command } from './command.js';
import { readJson } from './input.js';
import { parseArguments } from './parse-arguments.js';
import { printable } from './printable.js';
import { describeFaults } from './read-contract.js';
import { DOCUMENT_LIMITS, fetchJson, isWebAddress } from './fetch-json.js';

const usage = `Usage: countersign verify FILE|- --keys FILE|URL [--token TOKEN]

Verifies an interaction document offline: schema, hashes, every acceptance, links, attestation. One
line per check: verified, failed or not checkable, the check, its subject, and why.

  --keys FILE|URL   the verification keys, in the form that the service gives at
                    /v1/interactions/{id}/verification-keys. They are trusted because you name
                    their source; keys in the document never are.
  --token TOKEN     bearer token for a --keys URL; sent over https or to this machine only

Exit code 0: everything is verified; 1: something failed; 2: an input is unreadable, its code is on
stderr; 3: nothing failed, but something is not checkable.
`;

export const verify: Command = {
  usage,
  async run(args) {
    const options = { keys: { type: 'string' }, token: { type: 'string' } } as const;
    const parsed = parseArguments(args, options, 1);
    if (!parsed.ok) return parsed;
    const [path = '-'] = parsed.value.positionals;
    const { keys: source, token } = parsed.value.values;
    if (source === undefined) return err(cliFault('usage', '--keys is required'));
    if (source === '-' && path === '-') {
      return err(cliFault('usage', 'only one of document and keys can come from stdin'));
    }
    const document = await readJson(path, DOCUMENT_LIMITS);
    if (!document.ok) return document;
    const keysDocument = isWebAddress(source)
      ? await fetchJson(source, token)
      : await readJson(source, DOCUMENT_LIMITS);
    if (!keysDocument.ok) return keysDocument;
    const keys = parseVerificationKeys(keysDocument.value);
    if (!keys.ok) return err(cliFault('keys-invalid', describeFaults(keys.error)));

    const { result, checks } = verifyInteraction(document.value, keys.value);
    const stdout = checks.map((check) => `${lineOf(check)}\n`).join('');
    return ok({ stdout, exitCode: EXIT_CODES[result] });
  },
};

const EXIT_CODES: Readonly<Record<Verdict, number>> = {
  verified: 0,
  failed: 1,
  'not-checkable': 3,
};

const WORDS: Readonly<Record<Verdict, string>> = {
  verified: 'verified',
  failed: 'failed',
  'not-checkable': 'not checkable',
};

function lineOf({ result, check, subject, reason, detail }: CheckResult): string {
  const what = `${WORDS[result].padEnd(13)}  ${check.padEnd(16)}  ${printable(subject)}`;
  if (reason === null) return what;
  const occurrence = detail === null ? '' : ` (${printable(detail)})`;
  return `${what}  ${reason}: ${REASONS[reason]}${occurrence}`;
}
