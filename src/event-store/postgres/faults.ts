import { EventStoreUnavailable } from '../port.js';

/** SQLSTATE classes and codes in words: https://www.postgresql.org/docs/current/errcodes-appendix.html */
const REASONS: readonly (readonly [code: RegExp, reason: string])[] = [
  [/^08/, 'the connection to the database server was lost'],
  [/^28/, 'the database server refuses this user or password'],
  [/^3D000/, 'there is no such database on the server'],
  [/^42501/, 'this user may not do that in the database'],
  [/^(3F|42)/, 'tables of the store are missing or were changed'],
  [/^25006/, 'the database takes no writes: it is a replica, or read-only'],
  [/^53100/, 'the disk of the database server is full'],
  [/^53300/, 'the database server has no connection left'],
  [/^53/, 'the database server has not enough resources'],
  [/^55P03/, 'another session has held a lock for too long'],
  [/^57014/, 'the database server took too long'],
  [/^57P0[123]/, 'the database server is shutting down or starting'],
  [/^57P05/, 'the connection to the database server was idle for too long'],
];

/** A value that the engine cannot hold, or one that breaks its rules. */
const BLAMES_REQUEST = /^(22|23|54)/;

/**
 * The driver's errors as the port's. The driver's own words are left out: they may name hosts, users
 * and values, and nothing but the SQLSTATE or the name of the system's error helps who reads them.
 *
 * @returns a `TypeError` when one request is to blame (a value that no column takes), and what is no
 * error of the engine as it is: a bug
 */
export function asFault(error: unknown): unknown {
  if (error instanceof EventStoreUnavailable || !isObject(error)) return error;
  const code = typeof error['code'] === 'string' ? error['code'] : undefined;
  if (code === undefined) {
    // A timeout of the driver or a connection that ended; they bear no code.
    return error['name'] === 'Error'
      ? new EventStoreUnavailable('the database server does not answer, or broke off')
      : error;
  }
  if (!('severity' in error)) {
    return new EventStoreUnavailable(`the database server cannot be reached (${code})`);
  }
  if (BLAMES_REQUEST.test(code)) {
    return new TypeError(`the database takes no such value (SQLSTATE ${code})`);
  }
  const reason = REASONS.find(([pattern]) => pattern.test(code))?.[1] ?? 'the database failed';
  return new EventStoreUnavailable(`${reason} (SQLSTATE ${code})`);
}

/** Somebody else's lock stood in the way for as long as `lock_timeout` says. */
export function isLockTimeout(error: unknown): boolean {
  return error instanceof EventStoreUnavailable && error.message.includes('SQLSTATE 55P03');
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
