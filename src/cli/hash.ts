import { err, ok } from '../kernel/result.js';
import { termsHash } from '../kernel/terms.js';
import type { Command } from './command.js';
import { parseArguments } from './parse-arguments.js';
import { readContract } from './read-contract.js';

const usage = `Usage: countersign hash FILE|-

Prints the terms hash of a contract, b64u(SHA-256(JCS({...contract, signatures: {}}))), alone on
one line.

Exit code 0; 2 when the contract is unreadable, ambiguous or does not match the wire schema, with
the code on stderr.
`;

export const hash: Command = {
  usage,
  async run(args) {
    const parsed = parseArguments(args, {}, 1);
    if (!parsed.ok) return parsed;
    const [path = '-'] = parsed.value.positionals;
    const contract = await readContract(path);
    return contract.ok ? ok({ stdout: `${termsHash(contract.value)}\n` }) : err(contract.error);
  },
};
