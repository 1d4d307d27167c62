import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createLocalJWKSet, jwtVerify } from 'jose';
import type {
  DirectInvokeCall,
  DirectInvokeImplementation,
} from '../../../src/invocations/backends/direct-invoke-handler.js';
import { InProcessBackend } from '../../../src/invocations/backends/in-process-backend.js';
import type { BackendCall } from '../../../src/invocations/commands/backends.js';
import type { Json } from '../../../src/kernel/json.js';
import { aMoment, eventually } from '../../support/eventually.js';
import { backendCall, HOSTED } from './support/calls.js';
import { ISSUER, TokenKeys } from './support/token-keys.js';

let keys: TokenKeys;

beforeAll(async () => {
  keys = await TokenKeys.open('backend-token');
});

afterAll(() => keys.dispose());

/** The output, or `kind: detail` of the failure. */
async function outcome(
  invoke: DirectInvokeImplementation['invoke'],
  call: BackendCall = backendCall(),
  tokens = keys.tokens(),
): Promise<Json> {
  const backend = new InProcessBackend({ type: 'in-process' }, { invoke }, tokens);
  const result = await backend.invoke(call);
  return result.ok ? result.value : `${result.error.kind}: ${result.error.detail}`;
}

describe('a backend in this process', () => {
  it('gets the whole call, and its output is the answer', async () => {
    const call = backendCall();
    const output = await outcome(async (given) => {
      expect(given).toMatchObject(call);
      return Promise.resolve({ invoice: given.arguments['invoice'] ?? null });
    }, call);
    expect(output).toEqual({ invoice: 'INV-1' });
  });

  it('may change what it gets, which is its own', async () => {
    const call = backendCall({ scopes: ['recon.run'] });
    const before = structuredClone({ ...call, signal: null });
    await outcome(async (given) => {
      const { arguments: args, scopes, caller, terms } = given;
      (args as Record<string, Json>)['invoice'] = 'another';
      (scopes as string[]).push('payments:admin');
      (caller?.allScopes as Set<string> | undefined)?.add('payments:admin');
      if (terms !== null) (terms as { revision: number }).revision = 7;
      const token = await given.token('https://bank.example');
      const { payload } = await jwtVerify(token, createLocalJWKSet(await keys.jwks()));
      expect(payload['scope']).toBe('recon.run');
      return 'done';
    }, call);
    expect(structuredClone({ ...call, signal: null })).toEqual(before);
  });

  it('gets tokens for whom it names, when it asks', async () => {
    const token = await outcome(async (call) => call.token('https://bank.example'));
    const verified = await jwtVerify(String(token), createLocalJWKSet(await keys.jwks()), {
      issuer: ISSUER,
      audience: 'https://bank.example',
      typ: 'backend+jwt',
    });
    expect(verified.payload).toMatchObject({ sub: 'buyer', act: { sub: HOSTED } });
  });

  it('gets none once its call is over', async () => {
    let late: DirectInvokeCall | undefined;
    const ending = new AbortController();
    const answering = async (call: DirectInvokeCall): Promise<Json> => {
      late = call;
      return Promise.resolve('done');
    };
    expect(await outcome(answering)).toBe('done');
    await expect(late!.token('x')).rejects.toThrow('the call is over');
    // Nobody waits for it any more, and it goes on.
    const stubborn = async (call: DirectInvokeCall): Promise<Json> => {
      ending.abort();
      await expect(call.token('x')).rejects.toThrow('the call is over');
      return 'asked';
    };
    expect(await outcome(stubborn, backendCall({ signal: ending.signal }))).toBe('asked');
  });

  it('gets none on a node without a key, and works without', async () => {
    const others = await TokenKeys.open();
    const withToken = outcome(async (call) => call.token('x'), backendCall(), others.tokens());
    expect(await withToken).toBe('failed: backend-token-key-unavailable');
    const without = outcome(async () => Promise.resolve('done'), backendCall(), others.tokens());
    expect(await without).toBe('done');
    await others.dispose();
  });

  it('fails when it throws, at once or later, whatever it throws', async () => {
    const down = Object.assign(new TypeError('of INV-1'), { code: 'E_DOWN' });
    expect(await outcome(async () => Promise.reject(down))).toBe(
      'failed: the handler threw (TypeError E_DOWN)',
    );
    const throwing = (() => {
      throw Object.assign(new Error('INV-1'), { code: 'no invoice INV-1' });
    }) as DirectInvokeImplementation['invoke'];
    expect(await outcome(throwing)).toBe('failed: the handler threw (Error)');
    // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors
    expect(await outcome(async () => Promise.reject('a text'))).toBe(
      'failed: the handler threw (unknown)',
    );
  });

  it.each<[string, unknown]>([
    ['nothing', undefined],
    ['a function', () => 1],
    ['a big integer', 1n],
    ['a lone surrogate', { text: '\ud800' }],
    ['more than 1 MiB', 'x'.repeat(1024 * 1024)],
    ['a circle', circle()],
    ['no number', { n: NaN }],
    ['an infinity', [1, -Infinity]],
    ['a list with a gap', [1, undefined]],
    ['a function somewhere', { of: () => 1 }],
    ['a symbol somewhere', { of: Symbol('x') }],
    ['a map', { of: new Map([['a', 1]]) }],
    ['a set', new Set([1])],
    ['a promise within', { of: Promise.resolve(1) }],
  ])('fails when it answers with %s', async (_, output) => {
    expect(await outcome(async () => Promise.resolve(output as Json))).toMatch(/^failed: /);
  });

  it('may leave members undefined, and name a time by its date', async () => {
    const output = { at: new Date(0), note: undefined, n: -0 } as unknown as Json;
    expect(await outcome(async () => Promise.resolve(output))).toEqual({
      at: '1970-01-01T00:00:00.000Z',
      n: 0,
    });
  });

  it('answers with what it said then, not with what it makes of it later', async () => {
    const output = { status: 'open' };
    const answered = await outcome(async () => Promise.resolve(output));
    output.status = 'paid';
    expect(answered).toEqual({ status: 'open' });
  });

  it('has ended when it has really ended, and is not begun when its time is over', async () => {
    const call = backendCall({ signal: AbortSignal.timeout(20) });
    let release: (output: Json) => void = () => undefined;
    const stubborn = async (): Promise<Json> => new Promise((resolve) => (release = resolve));
    let ended: unknown;
    const ending = outcome(stubborn, call).then((came) => (ended = came));
    await eventually(() => call.signal.aborted);
    await aMoment();
    expect(ended).toBeUndefined();
    release('late');
    expect(await ending).toBe('late');
    let begun = false;
    const begin = async (): Promise<Json> => {
      begun = true;
      return Promise.resolve(null);
    };
    expect(await outcome(begin, call)).toBe('unavailable: its time was over before it began');
    expect(begun).toBe(false);
  });
});

function circle(): object {
  const one: Record<string, unknown> = {};
  one['self'] = one;
  return one;
}
