import { ReadDatabaseDamaged, ReadDatabaseUnavailable } from '../read-database.js';

/** Result codes after which the file is given up; the log can always make another. */
const DAMAGED = /^SQLITE_(CORRUPT|NOTADB|FORMAT|READONLY_DBMOVED)/;
/** Result codes that say nothing about the event at hand. */
const UNAVAILABLE =
  /^SQLITE_(FULL|IOERR|BUSY|LOCKED|CANTOPEN|READONLY|NOMEM|PERM|PROTOCOL|INTERRUPT)/;

/** The driver's faults as the port's; anything else stays what it is. */
export function asDatabaseFault(error: unknown): unknown {
  const code = resultCode(error);
  if (DAMAGED.test(code)) return new ReadDatabaseDamaged(code, { cause: error });
  if (UNAVAILABLE.test(code)) return new ReadDatabaseUnavailable(code, { cause: error });
  return error;
}

/** @throws what the work throws, as {@link asDatabaseFault} has it */
export function orDatabaseFault<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw asDatabaseFault(error);
  }
}

/** By shape: the driver's error class belongs to whichever module registry loaded it first. */
function resultCode(error: unknown): string {
  if (typeof error !== 'object' || error === null || !('code' in error)) return '';
  return typeof error.code === 'string' ? error.code : '';
}
