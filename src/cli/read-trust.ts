import { existsSync } from 'node:fs';
import { parseTrust, parseWitness, type Trust } from '../audit/verify/trust.js';
import { err, ok, type Result } from '../kernel/result.js';
import { cliFault, type CliFault } from './cli-fault.js';
import { readText } from './input.js';

/** No note is larger. */
const MAX_BYTES = 256 * 1024;

/**
 * Reads what a user trusts: each a verifier key, or the name of a file with one or with the note of a
 * checkpoint.
 *
 * Refuses with `input-unreadable`, `json-too-large` and `trust-invalid`.
 */
export async function readTrust(
  trusted: readonly string[],
  witnesses: readonly string[],
): Promise<Result<Trust, CliFault>> {
  const trust = { keys: [], checkpoints: [], witnesses: [] } as {
    [Member in keyof Trust]: Trust[Member][number][];
  };
  for (const given of trusted) {
    const found = await read(given, parseTrust);
    if (!found.ok) return found;
    if (found.value === undefined) return err(notTrust(given, 'key of a log and no checkpoint'));
    if ('key' in found.value) trust.keys.push(found.value.key);
    else trust.checkpoints.push(found.value.checkpoint);
  }
  for (const given of witnesses) {
    const found = await read(given, parseWitness);
    if (!found.ok) return found;
    if (found.value === undefined) return err(notTrust(given, 'key of a witness'));
    trust.witnesses.push(found.value);
  }
  return ok(trust);
}

/** The text itself, or else the file that it names. */
async function read<T>(
  given: string,
  parse: (text: string) => T | undefined,
): Promise<Result<T | undefined, CliFault>> {
  const itself = parse(given);
  if (itself !== undefined || !existsSync(given)) return ok(itself);
  const text = await readText(given, MAX_BYTES);
  return text.ok ? ok(parse(text.value)) : text;
}

function notTrust(given: string, what: string): CliFault {
  const file = existsSync(given) ? 'nor a file with one' : 'and there is no such file';
  return cliFault('trust-invalid', `${given} is no ${what}, ${file}`);
}
