import { afterEach, describe, expect, it } from '@jest/globals';
import { AttemptFault } from '../../../src/invocations/backends/attempt-fault.js';
import { GuardedExchange } from '../../../src/invocations/backends/guarded-exchange.js';

const { fetch } = globalThis;

afterEach(() => {
  globalThis.fetch = fetch;
});

/** What an attempt comes to whose fetch fails for this cause. */
async function kindOf(cause: unknown): Promise<string> {
  // As Node's client fails; a network does not break like this when it is asked to.
  globalThis.fetch = async () => Promise.reject(new TypeError('fetch failed', { cause }));
  const exchange = new GuardedExchange({
    url: 'https://backend.example/',
    token: 'token',
    traceparent: null,
    signal: new AbortController().signal,
    endedBy: () => new AttemptFault('timed-out', 'no answer in time'),
  });
  return exchange.post({}, {}).then(
    () => 'an answer',
    (error: unknown) => (error as AttemptFault).kind,
  );
}

const CODES = ['EHOSTUNREACH', 'ENETUNREACH', 'ECONNREFUSED', 'ETIMEDOUT', 'ENETDOWN'];
const failing = (code: string, syscall?: string): Error =>
  Object.assign(new Error(code), { code, ...(syscall === undefined ? {} : { syscall }) });

describe('a failure of the network', () => {
  it.each(CODES)('%s before a connection stood says that nothing was sent', async (code) => {
    expect(await kindOf(failing(code, 'connect'))).toBe('unsent');
  });

  it.each([
    ['the name is unknown', failing('ENOTFOUND', 'getaddrinfo')],
    ['the name service does not answer', failing('EAI_AGAIN', 'getaddrinfo')],
    ['the client gave up connecting', failing('UND_ERR_CONNECT_TIMEOUT')],
    [
      'no address could be connected to',
      new AggregateError(
        [failing('ECONNREFUSED', 'connect'), failing('EHOSTUNREACH', 'connect')],
        'all of them',
      ),
    ],
  ])('says that nothing was sent where %s', async (_, cause) => {
    expect(await kindOf(cause)).toBe('unsent');
  });

  it.each(
    CODES.flatMap((code) => ['read', 'write', undefined].map((call) => [code, call] as const)),
  )('%s of a connection that stood (%s) says that nobody knows', async (code, syscall) => {
    expect(await kindOf(failing(code, syscall))).toBe('lost');
  });

  it.each([
    ['the other side closed it', failing('UND_ERR_SOCKET')],
    ['one of several connections had stood', new AggregateError([failing('EPIPE', 'write')])],
    ['an empty list says why', new AggregateError([])],
    ['nothing says why', undefined],
  ])('says that nobody knows where %s', async (_, cause) => {
    expect(await kindOf(cause)).toBe('lost');
  });
});
