import { parseArgs, type ParseArgsConfig } from 'node:util';
import { err, ok, type Result } from '../kernel/result.js';
import { cliFault, type CliFault } from './cli-fault.js';

type Options = NonNullable<ParseArgsConfig['options']>;
type Parsed<O extends Options> = ReturnType<
  typeof parseArgs<{ args: string[]; options: O; allowPositionals: true; strict: true }>
>;

/** Refuses with `usage`: unknown options, missing values, more positionals than `positionals`. */
export function parseArguments<const O extends Options>(
  args: readonly string[],
  options: O,
  positionals: number,
): Result<Parsed<O>, CliFault> {
  let parsed: Parsed<O>;
  try {
    parsed = parseArgs({ args: [...args], options, allowPositionals: true, strict: true });
  } catch (error) {
    const [line = ''] = (error instanceof Error ? error.message : String(error)).split('\n');
    return err(cliFault('usage', line));
  }
  if (parsed.positionals.length === positionals) return ok(parsed);
  const expected = positionals === 1 ? 'one file (or -)' : `${positionals} arguments`;
  return err(cliFault('usage', `expected ${expected}, got ${parsed.positionals.length}`));
}
