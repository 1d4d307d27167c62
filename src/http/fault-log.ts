/**
 * One line of JSON on the standard error stream per fault of the service. This is where the stack
 * and the driver's words go; the client gets the correlation id and nothing else.
 */
export function logFault(error: unknown, correlationId: string): void {
  const fault =
    error instanceof Error
      ? { name: error.name, message: error.message, stack: error.stack, cause: causeOf(error) }
      : { message: String(error) };
  write({ level: 'error', at: new Date().toISOString(), correlationId, ...fault });
}

/** Something that an operator should read, and what it is about. */
export function logReport(line: string, about: Readonly<Record<string, unknown>>): void {
  write({ level: 'warn', at: new Date().toISOString(), message: line, ...about });
}

function write(entry: object): void {
  process.stderr.write(`${JSON.stringify(entry)}\n`);
}

function causeOf(error: Error): string | undefined {
  if (error.cause === undefined) return undefined;
  return error.cause instanceof Error ? error.cause.message : String(error.cause);
}
