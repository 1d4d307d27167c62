import { EventStoreUnavailable } from '../port.js';

/** A connection string of the user's, checked and in the words that the client takes. */
export interface Connection {
  readonly connectionString: string;
  /** Sent with every call; the client sends nothing of them over an insecure connection. */
  readonly credentials: { readonly username: string; readonly password: string };
}

/**
 * The options that are passed on. Anything else is refused here: the client would print the whole
 * string, password included, with a warning, and go on without the option.
 */
const OPTIONS = new Set([
  'tls',
  'tlscafile',
  'usercertfile',
  'userkeyfile',
  'nodepreference',
  'maxdiscoverattempts',
  'discoveryinterval',
  'gossiptimeout',
  'keepaliveinterval',
  'keepalivetimeout',
  'connectionname',
]);

const FORM =
  /^(?:esdb|kurrentdb)(\+discover)?:\/\/(?:([^:/?@]+):([^/?@]+)@)?([^/?@]+)\/*(?:\?(.*))?$/;

/**
 * Reads `esdb://` and `kurrentdb://`, each also with `+discover`:
 * `esdb://user:password@host:2113,host:2113?tls=true&tlsCAFile=/ca.crt`. The client knows the first
 * scheme alone.
 * @throws {EventStoreUnavailable} whose message never holds a part of the string.
 */
export function readConnectionString(text: string): Connection {
  const match = FORM.exec(text.trim());
  if (match === null)
    throw refused('it is not of the form esdb://user:password@host:port?option=value');
  const [, discover = '', username, password, hosts = '', query = ''] = match;
  let isSecure = true;
  for (const pair of query === '' ? [] : query.split('&')) {
    const [key = '', value = ''] = pair.split('=');
    const option = key.trim().toLowerCase().replaceAll(/[_-]/g, '');
    if (!OPTIONS.has(option)) throw refused('it has an option that is not understood here');
    if (option === 'tls') {
      if (value !== 'true' && value !== 'false') throw refused('tls is true or false');
      isSecure = value === 'true';
    }
  }
  if (isSecure && (username === undefined || password === undefined)) {
    throw refused('a secure connection needs user:password');
  }
  const user = username === undefined ? '' : `${username}:${password ?? ''}@`;
  return {
    connectionString: `esdb${discover}://${user}${hosts}${query === '' ? '' : `?${query}`}`,
    credentials: { username: decode(username ?? ''), password: decode(password ?? '') },
  };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw refused('its user or password is not percent-encoded');
  }
}

function refused(reason: string): EventStoreUnavailable {
  return new EventStoreUnavailable(`the connection string cannot be used: ${reason}`);
}
