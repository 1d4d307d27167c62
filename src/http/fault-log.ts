import { inspect } from 'node:util';

/**
 * One line of JSON on the standard error stream per fault of the service. This is where the stack
 * and the driver's words go; the client gets the correlation id and nothing else.
 */
export function logFault(error: unknown, correlationId: string): void {
  write({ level: 'error', at: new Date().toISOString(), correlationId, ...describe(error) });
}

/**
 * Something that an operator should read, and what it is about; errors in it are written out. A
 * `level` in `about` says how much it matters (`info`: nothing is to be done); else it is a warning.
 */
export function logReport(line: string, about: Readonly<Record<string, unknown>>): void {
  const entries = Object.entries(about).map(([name, value]) =>
    // JSON shows nothing of an Error by itself.
    value instanceof Error ? [name, describe(value)] : [name, value],
  );
  write({
    level: 'warn',
    at: new Date().toISOString(),
    message: line,
    ...(Object.fromEntries(entries) as object),
  });
}

function describe(error: unknown): object {
  if (!(error instanceof Error)) return { message: String(error) };
  return {
    name: error.name,
    message: error.message,
    stack: error.stack,
    cause: causeOf(error),
  };
}

function write(entry: object): void {
  process.stderr.write(`${JSON.stringify(entry)}\n`);
}

function causeOf(error: Error): string | undefined {
  if (error.cause === undefined) return undefined;
  return error.cause instanceof Error ? error.cause.message : inspect(error.cause);
}
