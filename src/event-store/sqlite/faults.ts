import { EventStoreUnavailable } from '../port.js';

interface SqliteError {
  /** `SQLITE_BUSY`, `SQLITE_IOERR_FSYNC`, … */
  readonly code: string;
  readonly message: string;
}

/** By shape, since the driver makes its error class once per process and not once per realm. */
function isSqliteError(error: unknown): error is SqliteError {
  return (
    typeof error === 'object' &&
    error !== null &&
    'message' in error &&
    'code' in error &&
    typeof error.code === 'string' &&
    error.code.startsWith('SQLITE_')
  );
}

/** Somebody else holds the lock: worth another try. */
export function isBusy(error: unknown): boolean {
  return isSqliteError(error) && /^SQLITE_(BUSY|LOCKED)/.test(error.code);
}

/** The fault lies in one request (a value that no column takes), not in the engine. */
export function blamesRequest(error: unknown): boolean {
  return !isSqliteError(error) || /^SQLITE_(CONSTRAINT|TOOBIG|MISMATCH|RANGE)/.test(error.code);
}

/** The engine's errors as the port's; anything else is a bug and stays what it is. */
export function asUnavailable(error: unknown): unknown {
  if (!isSqliteError(error)) return error;
  return new EventStoreUnavailable(`${error.code}: ${error.message}`, { cause: error });
}
