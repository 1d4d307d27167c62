import { hashJson } from '../kernel/digest.js';
import type { Json, JsonObject } from '../kernel/json.js';
import { jwkThumbprint } from '../kernel/ed25519.js';
import { err, ok, type Result } from '../kernel/result.js';
import { changeHash, reasonHash, type Statement } from '../kernel/statements.js';
import { termsHash } from '../kernel/terms.js';
import { cliFault, type CliFault } from './cli-fault.js';
import { readJson } from './input.js';
import type { PrivateKey } from './private-key.js';
import { readContract } from './read-contract.js';

/** The flags from which `sign KIND` makes a statement. */
export const STATEMENT_OPTIONS = {
  audience: { type: 'string' },
  agent: { type: 'string' },
  at: { type: 'string' },
  interaction: { type: 'string' },
  revision: { type: 'string' },
  contract: { type: 'string' },
  'terms-hash': { type: 'string' },
  previous: { type: 'string' },
  'expires-at': { type: 'string' },
  reason: { type: 'string' },
  report: { type: 'string' },
  body: { type: 'string' },
} as const;

export type StatementFlags = {
  readonly [Flag in keyof typeof STATEMENT_OPTIONS]?: string | undefined;
};

type Members = Readonly<Record<string, Json>>;
type Maker = (flags: StatementFlags, key: PrivateKey) => Promise<Result<Members, CliFault>>;

/** Kind, as the command names it → the statement's name and what it says besides who, where, when. */
const KINDS: ReadonlyMap<string, readonly [Statement['statement'], Maker]> = new Map([
  ['acceptance', ['federated-interaction/acceptance', acceptance]],
  ['rejection', ['federated-interaction/rejection', answer]],
  ['withdrawal', ['federated-interaction/withdrawal', answer]],
  ['cancellation', ['federated-interaction/cancellation', cancellation]],
  ['completion', ['federated-interaction/completion', completion]],
  ['erasure-consent', ['federated-interaction/erasure-consent', erasureConsent]],
  ['key-proof', ['agent/key-proof', keyProof]],
  ['change', ['agent/change', change]],
]);

export const STATEMENT_KINDS: readonly string[] = [...KINDS.keys()];

/**
 * Makes the statement of a kind from flags; a missing one shows as a fault of the statement. It is
 * not yet validated.
 *
 * Refuses with `usage` (unknown kind) and whatever its files are refused for.
 *
 * @param now the moment that is signed when `--at` does not say another
 */
export async function statementFromFlags(
  kind: string,
  flags: StatementFlags,
  key: PrivateKey,
  now: string,
): Promise<Result<JsonObject, CliFault>> {
  const known = KINDS.get(kind);
  if (known === undefined) return err(cliFault('usage', `${kind} is no kind of statement`));
  const [statement, make] = known;
  const members = await make(flags, key);
  if (!members.ok) return members;
  const moment = kind === 'acceptance' ? 'acceptedAt' : 'signedAt';
  return ok({
    statement,
    protocolVersion: '0.1',
    ...given({ audience: flags.audience, agentId: flags.agent }),
    ...members.value,
    [moment]: flags.at ?? now,
  });
}

async function acceptance(flags: StatementFlags): Promise<Result<Members, CliFault>> {
  const terms = await termsMember(flags);
  if (!terms.ok) return terms;
  return ok({
    ...terms.value,
    ...revisionMember(flags),
    ...given({ expiresAt: flags['expires-at'] }),
    previousTermsHash: flags.previous ?? null,
    method: 'ed25519',
  });
}

async function answer(flags: StatementFlags): Promise<Result<Members, CliFault>> {
  const terms = await termsMember(flags);
  if (!terms.ok) return terms;
  return ok({
    ...terms.value,
    ...revisionMember(flags),
    reasonHash: reasonHash(flags.reason),
  });
}

async function cancellation(flags: StatementFlags): Promise<Result<Members, CliFault>> {
  const terms = await termsMember(flags);
  return terms.ok ? ok({ ...terms.value, reasonHash: reasonHash(flags.reason) }) : terms;
}

async function completion(flags: StatementFlags): Promise<Result<Members, CliFault>> {
  const terms = await termsMember(flags);
  if (!terms.ok || flags.report === undefined) return terms;
  const report = await readJson(flags.report);
  return report.ok ? ok({ ...terms.value, reportHash: hashJson(report.value) }) : report;
}

async function erasureConsent(flags: StatementFlags): Promise<Result<Members, CliFault>> {
  return ok(given({ interactionId: flags.interaction }));
}

async function keyProof(_: StatementFlags, key: PrivateKey): Promise<Result<Members, CliFault>> {
  return ok({ keyId: key.keyId, jwkThumbprint: jwkThumbprint(key.jwk) });
}

async function change(flags: StatementFlags): Promise<Result<Members, CliFault>> {
  if (flags.body === undefined) return ok({});
  const body = await readJson(flags.body);
  if (!body.ok) return body;
  if (typeof body.value !== 'object' || body.value === null || Array.isArray(body.value)) {
    return err(cliFault('usage', '--body is no JSON object'));
  }
  return ok({ changeHash: changeHash(body.value) });
}

/** The contract says which interaction and which terms; without its text the flags do. */
async function termsMember(flags: StatementFlags): Promise<Result<Members, CliFault>> {
  if (flags.contract === undefined) {
    return ok(given({ interactionId: flags.interaction, termsHash: flags['terms-hash'] }));
  }
  const contract = await readContract(flags.contract);
  if (!contract.ok) return contract;
  const { interactionId } = contract.value;
  const hash = termsHash(contract.value);
  if (flags.interaction !== undefined && flags.interaction !== interactionId) {
    return err(cliFault('usage', `the contract belongs to interaction ${interactionId}`));
  }
  if (flags['terms-hash'] !== undefined && flags['terms-hash'] !== hash) {
    return err(cliFault('usage', `the terms hash of the contract is ${hash}`));
  }
  return ok({ interactionId, termsHash: hash });
}

function revisionMember({ revision }: StatementFlags): Members {
  if (revision === undefined) return {};
  return { revision: /^\d+$/.test(revision) ? Number(revision) : revision };
}

function given(members: Readonly<Record<string, string | undefined>>): Members {
  return Object.fromEntries(
    Object.entries(members).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}
