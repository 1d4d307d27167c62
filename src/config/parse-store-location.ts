import { err, ok, type Result } from '../kernel/result.js';
import { isLoopback } from './addresses.js';
import type {
  Engine,
  EventStoreDbLocation,
  EventStoreLocation,
  LocationOf,
  PostgresLocation,
  SqliteLocation,
} from './store-location.js';

const ENGINES: ReadonlyMap<string, Engine> = new Map([
  ['sqlite', 'sqlite'],
  ['postgres', 'postgres'],
  ['postgresql', 'postgres'],
  ['esdb', 'eventstoredb'],
  ['esdb+discover', 'eventstoredb'],
  ['kurrentdb', 'eventstoredb'],
  ['kurrentdb+discover', 'eventstoredb'],
]);

/** How settings of each engine are written. */
const FORMS: Readonly<Record<Engine, string>> = {
  sqlite: 'sqlite:<path of a file>',
  postgres: 'postgres://<user>@<host>/<database>',
  eventstoredb: 'esdb://<host>:<port>,…',
};

/** Which engine a setting means by its scheme, whether or not the rest can be read. */
export function engineMeant(text: string): Engine | undefined {
  return ENGINES.get(text.slice(0, text.indexOf(':')));
}

/**
 * Reads where a store is, with one of some engines.
 * @returns the fault as a sentence that repeats nothing of the text, which may hold a password
 */
export function parseStoreLocation<E extends Engine>(
  text: string,
  engines: readonly E[],
): Result<LocationOf<E>, string> {
  const engine = engineMeant(text);
  if (engine === undefined || !isOneOf(engine, engines)) {
    return err(`must be ${engines.map((each) => FORMS[each]).join(' or ')}`);
  }
  // The engine of what it reads is the one that it is asked for.
  return PARSERS[engine](text) as Result<LocationOf<E>, string>;
}

function isOneOf<E extends Engine>(engine: Engine, engines: readonly E[]): engine is E {
  return (engines as readonly Engine[]).includes(engine);
}

const PARSERS: Readonly<Record<Engine, (text: string) => Result<EventStoreLocation, string>>> = {
  sqlite: parseSqlite,
  postgres: parsePostgres,
  eventstoredb: parseEventStoreDb,
};

function parseSqlite(text: string): Result<SqliteLocation, string> {
  const path = text.slice('sqlite:'.length);
  // `:memory:` and `file:` forms would lose every acknowledged event.
  const isFile = path !== '' && !path.startsWith('//') && !path.startsWith(':');
  return isFile ? ok({ engine: 'sqlite', path }) : err(`must be ${FORMS.sqlite}`);
}

/** The ones that say what they mean in every version of the driver. */
const SSL_MODES = ['verify-full', 'no-verify', 'disable'];

function parsePostgres(text: string): Result<PostgresLocation, string> {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const host = url?.hostname === '' ? url.searchParams.get('host') : url?.hostname;
  if (url === undefined || !host || url.pathname.length < 2 || /\s/.test(text)) {
    return err(`must be ${FORMS.postgres}`);
  }
  const isLocal = isLoopback(host) || host.startsWith('/');
  const sslMode = url.searchParams.get('sslmode');
  // The driver's own default is plain text.
  if (sslMode === null ? !isLocal : !SSL_MODES.includes(sslMode)) {
    return err(`must say sslmode=verify-full; no-verify or disable only where the network is safe`);
  }
  return ok({ engine: 'postgres', url: text });
}

const ESDB =
  /^(?:esdb|kurrentdb)(?:\+discover)?:\/\/(?:[^\s:@/?]+:[^\s@/?]+@)?[\w.-]+(?::\d{1,5})?(?:,[\w.-]+(?::\d{1,5})?)*\/?(?:\?[^\s?]*)?$/;

/** Its options are the adapter's to judge, when it connects. */
function parseEventStoreDb(text: string): Result<EventStoreDbLocation, string> {
  if (!ESDB.test(text)) return err(`must be ${FORMS.eventstoredb}`);
  return ok({ engine: 'eventstoredb', connectionString: text });
}
