import { MAX_BUNDLE_VALUES } from '../audit/verify/bundle/work.js';
import type { CheckResult } from '../audit/verify/check-result.js';
import { erasedTexts, isErased } from '../audit/verify/erased-texts.js';
import { parseVerificationKeys } from '../audit/verify/verification-keys.js';
import { isBundle, verifyBundle, type ShownState } from '../audit/verify/verify-bundle.js';
import { verifyInteraction } from '../audit/verify/verify-interaction.js';
import { isObject, type Json } from '../kernel/json.js';
import { err, ok, type Result } from '../kernel/result.js';
import type { StrictJsonLimits } from '../kernel/strict-json.js';
import {
  checkLines,
  countsLine,
  countsOf,
  ONLY_ERASED,
  VERDICT_EXIT_CODES,
  VERDICT_WORDS,
} from './check-lines.js';
import { cliFault, type CliFault } from './cli-fault.js';
import type { Command, CommandOutput } from './command.js';
import { DOCUMENT_LIMITS, fetchJson, isWebAddress } from './fetch-json.js';
import { readJson } from './input.js';
import { parseArguments } from './parse-arguments.js';
import { describeFaults } from './read-contract.js';
import { readTrust } from './read-trust.js';

const usage = `Usage: countersign verify FILE|- --keys FILE|URL [--token TOKEN]
       countersign verify FILE|- --trust KEY|FILE... [--witness KEY]...

Verifies an interaction document, or an evidence bundle of one, offline. One line per check:
verified, failed or not checkable, the check, its subject, and why; of a bundle then the numbers,
and the verdict last. What is not checkable because the texts are erased is told as erased, of a
bundle in one line; a last line that ends with "(only erased texts)" says that nothing else is
missing.

A document: schema, hashes, every acceptance, links, attestation.

  --keys FILE|URL   the verification keys, in the form that the service gives at
                    /v1/interactions/{id}/verification-keys. They are trusted because you name
                    their source; keys in the document never are.
  --token TOKEN     bearer token for a --keys URL; sent over https or to this machine only

A bundle, as the service gives it at /v1/interactions/{id}/evidence: that its events stand in the
log, and everything that follows from them. Where a stream ends, a bundle cannot prove:
"countersign audit" reads the whole log.

  --trust KEY|FILE  a verifier key of the log (as /v1/log gives it), a file with one, or a file with
                    a checkpoint that you keep; may be repeated. Nothing in a bundle is trusted for
                    being there.
  --witness KEY     a witness's verifier key, or a file with one: its cosignature is asked for; may
                    be repeated

Exit code 0: everything is verified; 1: something failed; 2: an input is unreadable, its code is on
stderr; 3: nothing failed, but something is not checkable.
`;

/** Of the largest bundle that the verifier takes; a document is smaller. */
const BUNDLE_LIMITS: StrictJsonLimits = {
  maxBytes: 256 * 1024 * 1024,
  maxDepth: 64,
  maxValues: MAX_BUNDLE_VALUES,
};

export const verify: Command = {
  usage,
  async run(args) {
    const options = {
      keys: { type: 'string' },
      token: { type: 'string' },
      trust: { type: 'string', multiple: true },
      witness: { type: 'string', multiple: true },
    } as const;
    const parsed = parseArguments(args, options, 1);
    if (!parsed.ok) return parsed;
    const [path = '-'] = parsed.value.positionals;
    const { keys, token, trust = [], witness = [] } = parsed.value.values;
    if (keys === undefined && trust.length === 0) {
      return err(cliFault('usage', '--keys is required for a document, --trust for a bundle'));
    }
    if (keys === '-' && path === '-') {
      return err(cliFault('usage', 'only one of document and keys can come from stdin'));
    }
    const document = await readJson(path, BUNDLE_LIMITS);
    if (!document.ok) return document;
    if (isBundle(document.value)) {
      if (keys !== undefined) return err(cliFault('usage', 'a bundle is verified by --trust'));
      return await verifyBundleBy(document.value, trust, witness);
    }
    const other = whatElse(document.value, keys !== undefined);
    if (other !== undefined) return err(cliFault('document-invalid', other));
    if (keys === undefined || witness.length + trust.length > 0) {
      return err(cliFault('usage', 'a document is verified by --keys alone'));
    }
    return await verifyDocumentBy(document.value, keys, token);
  },
};

/**
 * What something is that is not what the command is for; undefined where the checks will say it. The
 * refusal of an erased document is one that they know.
 */
function whatElse(value: Json, isForDocument: boolean): string | undefined {
  const members = isObject(value) ? value : {};
  const { code, status } = members;
  if (typeof code === 'string' && typeof status === 'number') {
    const isKnown = isForDocument && code === 'interaction-erased';
    return isKnown ? undefined : `this is a refusal of the service, ${code}, and nothing to verify`;
  }
  if (isEvents(value)) {
    return 'these are events of a log: `countersign audit` takes an export of all of them';
  }
  return isForDocument || 'contractRevisions' in members
    ? undefined
    : 'this is neither an interaction document (contractRevisions is missing) nor an evidence bundle (bundle is missing)';
}

/** One event of the log, or a page of them. */
function isEvents(value: Json): boolean {
  const [first] = Array.isArray(value) ? (value as readonly Json[]) : [value];
  return isObject(first) && typeof first['specversion'] === 'string';
}

async function verifyDocumentBy(
  document: Json,
  source: string,
  token: string | undefined,
): Promise<Result<CommandOutput, CliFault>> {
  const keysDocument = isWebAddress(source)
    ? await fetchJson(source, token)
    : await readJson(source, DOCUMENT_LIMITS);
  if (!keysDocument.ok) return keysDocument;
  const keys = parseVerificationKeys(keysDocument.value);
  if (!keys.ok) return err(cliFault('keys-invalid', describeFaults(keys.error)));
  const { result, checks } = verifyInteraction(document, keys.value);
  return ok({ stdout: checkLines(checks), exitCode: VERDICT_EXIT_CODES[result] });
}

async function verifyBundleBy(
  bundle: Json,
  trusted: readonly string[],
  witnesses: readonly string[],
): Promise<Result<CommandOutput, CliFault>> {
  const trust = await readTrust(trusted, witnesses);
  if (!trust.ok) return trust;
  const { result, checks, state } = verifyBundle(bundle, trust.value);
  const counts = countsOf(checks);
  const isOnlyErased = result === 'not-checkable' && counts['not-checkable'] === 0;
  const verdict = `${VERDICT_WORDS[result]}: ${describeState(state)}${isOnlyErased ? ONLY_ERASED : ''}`;
  const lines = [checkLines(withOneErased(checks)), countsLine('checks', counts), `${verdict}\n`];
  return ok({ stdout: lines.join(''), exitCode: VERDICT_EXIT_CODES[result] });
}

/** Of the checks that only say, and all the same, that the texts of the interaction are erased, one. */
function withOneErased(checks: readonly CheckResult[]): readonly CheckResult[] {
  const erased = checks.filter(isErased);
  const [first] = erased;
  if (typeof first?.detail !== 'string') return checks;
  const one = erasedTexts(first.detail, erased.length);
  return checks
    .filter((check) => check === first || !isErased(check))
    .map((check) => (check === first ? one : check));
}

/** As far as the bundle's events go: newer ones may exist. */
function describeState(state: ShownState | null): string {
  if (state === null) return 'no state follows from the events';
  const { interactionId, status, index, size } = state;
  return `interaction ${interactionId} is ${status} as of entry ${index} of ${size}`;
}
