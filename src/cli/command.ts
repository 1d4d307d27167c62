import type { CliFault } from './cli-fault.js';
import type { Result } from '../kernel/result.js';

/** What a command leaves behind: text for stdout, and the exit code (0 when left out). */
export interface CommandOutput {
  readonly stdout: string;
  /** Remarks for a person; never needed by a script. */
  readonly stderr?: string;
  readonly exitCode?: number;
}

/** One subcommand. A fault is printed on stderr, its code first, and exits with 2. */
export interface Command {
  readonly usage: string;
  run(args: readonly string[]): Promise<Result<CommandOutput, CliFault>>;
}
