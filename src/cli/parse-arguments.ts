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
    parsed = parseArgs({
      args: attachValues(args, options),
      options,
      allowPositionals: true,
      strict: true,
    });
  } catch (error) {
    const [line = ''] = (error instanceof Error ? error.message : String(error)).split('\n');
    return err(cliFault('usage', line));
  }
  if (parsed.positionals.length === positionals) return ok(parsed);
  const expected = positionals === 1 ? 'one file (or -)' : `${positionals} arguments`;
  return err(cliFault('usage', `expected ${expected}, got ${parsed.positionals.length}`));
}

/**
 * `--previous -abc…` as `--previous=-abc…`: base64url may begin with a dash, which `parseArgs` takes
 * for an option of its own. Where the next argument is an option that exists, the value is missing.
 */
function attachValues(args: readonly string[], options: Options): string[] {
  const isOption = (arg: string): boolean => {
    const [name = ''] = arg.slice(2).split('=');
    return arg.startsWith('--') && Object.hasOwn(options, name);
  };
  const attached: string[] = [];
  for (let i = 0; i < args.length; i++) {
    const arg = args[i] ?? '';
    const value = args[i + 1];
    const takesValue =
      isOption(arg) && !arg.includes('=') && options[arg.slice(2)]?.type === 'string';
    if (takesValue && value !== undefined && !isOption(value)) {
      attached.push(`${arg}=${value}`);
      i++;
    } else attached.push(arg);
  }
  return attached;
}
