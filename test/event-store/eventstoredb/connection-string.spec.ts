import { describe, expect, it } from '@jest/globals';
import { EventStoreUnavailable } from '../../../src/event-store/port.js';
import { readConnectionString } from '../../../src/event-store/eventstoredb/connection-string.js';
import { openEventStoreDb } from '../../../src/event-store/eventstoredb/eventstoredb-event-store.js';

const SECRET = 'tr0ub4dor';

describe('the connection string of EventStoreDB', () => {
  it.each([
    ['esdb://localhost:2113?tls=false', 'esdb://localhost:2113?tls=false', '', ''],
    ['kurrentdb://localhost?tls=false', 'esdb://localhost?tls=false', '', ''],
    ['kurrentdb+discover://db.example?tls=false', 'esdb+discover://db.example?tls=false', '', ''],
    [
      'kurrentdb+discover://admin:p%40ss@db.example:2113/?tlsCAFile=/ca.crt&nodePreference=leader',
      'esdb+discover://admin:p%40ss@db.example:2113?tlsCAFile=/ca.crt&nodePreference=leader',
      'admin',
      'p@ss',
    ],
    [
      'esdb://ops:x@a:1,b:2,c:3?tls=true&maxDiscoverAttempts=3&keepAliveInterval=10000',
      'esdb://ops:x@a:1,b:2,c:3?tls=true&maxDiscoverAttempts=3&keepAliveInterval=10000',
      'ops',
      'x',
    ],
  ])('%s is understood', (text, connectionString, username, password) => {
    expect(readConnectionString(text)).toEqual({
      connectionString,
      credentials: { username, password },
    });
  });

  it.each([
    ['another scheme', `http://user:${SECRET}@localhost`],
    ['no host', `esdb://user:${SECRET}@`],
    [
      'an option that the client would print with the password',
      `esdb://u:${SECRET}@h?tlsVerfyCert=1`,
    ],
    ['certificates that are not verified', `esdb://u:${SECRET}@h?tlsVerifyCert=false`],
    ['appends that fail without saying so', `esdb://u:${SECRET}@h?throwOnAppendFailure=false`],
    ['tls by half', `esdb://u:${SECRET}@h?tls=${SECRET}`],
    ['nobody, over TLS', `esdb://${SECRET}.example`],
    ['a user that is not percent-encoded', `esdb://%zz:${SECRET}@h`],
    ['a port that is none', `esdb://u:${SECRET}@h:http`],
    ['a number that is none', `esdb://u:${SECRET}@h?gossipTimeout=soon`],
    ['a file that is not there', `esdb://u:${SECRET}@h?tlsCAFile=/nowhere/${SECRET}.crt`],
  ])('with %s is refused, and nothing of it is said', async (_, text) => {
    const opening = openEventStoreDb(text, { patienceMs: 100 });
    const error = await opening.then(
      () => undefined,
      (refusal: unknown) => refusal as Error,
    );
    expect(error).toBeInstanceOf(EventStoreUnavailable);
    expect(`${error?.message} ${error?.stack} ${String(error?.cause)}`).not.toContain(SECRET);
    expect(error?.message).toMatch(/connection string/);
  });

  it('of a server that is away gives a readable reason, after its patience', async () => {
    const error = await openEventStoreDb(`esdb://127.0.0.1:1?tls=false`, { patienceMs: 300 }).then(
      () => undefined,
      (refusal: unknown) => refusal as Error,
    );
    expect(error).toBeInstanceOf(EventStoreUnavailable);
    expect(error?.message).toBe('EventStoreDB cannot be reached');
  });

  it('of a cluster that is away too', async () => {
    const text =
      'esdb://127.0.0.1:1,127.0.0.1:2?tls=false&maxDiscoverAttempts=1&discoveryInterval=1';
    const opening = openEventStoreDb(text, { patienceMs: 300 });
    await expect(opening).rejects.toThrow(EventStoreUnavailable);
  });

  it.each(['', '$all'])('leaves no namespace %j to anybody', async (namespace) => {
    const opening = openEventStoreDb('esdb://127.0.0.1:1?tls=false', { namespace });
    await expect(opening).rejects.toThrow(TypeError);
  });
});
