import { jwkThumbprint, signEd25519 } from '../kernel/ed25519.js';
import { err, ok, type Result } from '../kernel/result.js';
import { statementText, type Statement } from '../kernel/statements.js';
import { validateStatement } from '../kernel/wire-schema.js';
import { cliFault, type CliFault } from './cli-fault.js';
import type { Command } from './command.js';
import { readJson } from './input.js';
import { parseArguments } from './parse-arguments.js';
import { readPrivateKey, type PrivateKey } from './private-key.js';
import { describeFaults } from './read-contract.js';
import { STATEMENT_KINDS, STATEMENT_OPTIONS, statementFromFlags } from './statement-flags.js';

const usage = `Usage: countersign sign --key FILE [--key-id ID] --statement FILE|-
       countersign sign KIND --key FILE [--key-id ID] --audience URL --agent ID [options]

Signs a statement (Ed25519 over its canonical JSON) and prints {keyId, value} with the moment that
it names, acceptedAt or signedAt, on one line.

  --key FILE         the agent's private JWK; its kid is the key's id unless --key-id says another
  --statement FILE   the statement as JSON, - for stdin
  --audience URL     the platform's public base URL, without a trailing slash
  --agent ID         who signs
  --at TIME          the moment to sign, now by default

KIND               its options
  acceptance       --contract FILE --revision N [--previous HASH] --expires-at TIME
  rejection        --contract FILE --revision N [--reason TEXT]
  withdrawal       --contract FILE --revision N [--reason TEXT]
  cancellation     --contract FILE [--reason TEXT]
  completion       --contract FILE --report FILE
  erasure-consent  --interaction ID
  key-proof
  change           --body FILE, the request body without its signature

--interaction ID and --terms-hash HASH may stand in place of --contract FILE.
`;

export const sign: Command = {
  usage,
  async run(args) {
    const [kind, rest] = splitKind(args);
    if (kind !== undefined && !STATEMENT_KINDS.includes(kind)) {
      const kinds = STATEMENT_KINDS.join(', ');
      return err(cliFault('usage', `${kind} is no kind of statement; there are ${kinds}`));
    }
    const options = {
      key: { type: 'string' },
      'key-id': { type: 'string' },
      statement: { type: 'string' },
      ...STATEMENT_OPTIONS,
    } as const;
    const parsed = parseArguments(rest, options, 0);
    if (!parsed.ok) return parsed;
    const { key: keyFile, 'key-id': keyId, statement: file, ...flags } = parsed.value.values;
    if (keyFile === undefined) return err(cliFault('usage', '--key is required'));
    if ((kind === undefined) === (file === undefined)) {
      return err(cliFault('usage', 'give either a kind of statement or --statement'));
    }
    const key = await readPrivateKey(keyFile, keyId);
    if (!key.ok) return key;
    const statement =
      kind === undefined
        ? await readJson(file ?? '-')
        : await statementFromFlags(kind, flags, key.value, new Date().toISOString());
    return statement.ok ? signStatement(statement.value, key.value) : statement;
  },
};

function splitKind(args: readonly string[]): readonly [string | undefined, readonly string[]] {
  const [first, ...rest] = args;
  return first === undefined || first.startsWith('-') ? [undefined, args] : [first, rest];
}

function signStatement(
  value: unknown,
  { keyId, jwk, key }: PrivateKey,
): Result<{ stdout: string }, CliFault> {
  const statement = validateStatement(value);
  if (!statement.ok) return err(cliFault('statement-invalid', describeFaults(statement.error)));
  const isForeignProof =
    statement.value.statement === 'agent/key-proof' &&
    (statement.value.jwkThumbprint !== jwkThumbprint(jwk) || statement.value.keyId !== keyId);
  if (isForeignProof) {
    return err(cliFault('statement-invalid', 'a key proof is signed by the very key it names'));
  }
  const signature = { keyId, value: signEd25519(key, statementText(statement.value)) };
  return ok({ stdout: `${JSON.stringify({ ...signature, ...momentOf(statement.value) })}\n` });
}

function momentOf(statement: Statement): object {
  return 'acceptedAt' in statement
    ? { acceptedAt: statement.acceptedAt }
    : { signedAt: statement.signedAt };
}
