import { describe, expect, it } from '@jest/globals';
import { backendsReads } from '../../src/config/backend-bindings.js';
import type { BackendBinding } from '../../src/config/hosted-agents.js';
import { Faults } from '../../src/kernel/document-reader.js';

const HTTP = { kind: 'http', name: 'Ledger', url: 'https://ledger.example/invoke' };

function read(value: unknown, isDevelopment = false): ReadonlyMap<string, BackendBinding> | string {
  const faults = new Faults();
  const bindings = backendsReads(isDevelopment)(value, '/backends', faults);
  const told = faults.all.map(({ pointer, detail }) => `${pointer} ${detail}`).join('\n');
  return bindings === null || told !== '' ? told : bindings;
}

const first = (value: unknown): BackendBinding | undefined => {
  const bindings = read({ h: value });
  return typeof bindings === 'string' ? undefined : bindings.get('h');
};

describe('the backends of a hosted agent', () => {
  it('have an address, and what is left out', () => {
    expect(first(HTTP)).toEqual({
      kind: 'http',
      name: 'Ledger',
      url: HTTP.url,
      audience: HTTP.url,
      timeoutMs: 10_000,
      isIdempotent: false,
      tool: null,
    });
  });

  it('take every member that there is', () => {
    const mcp = {
      kind: 'mcp',
      name: 'Finance tools 2.0',
      url: 'https://tools.example/mcp',
      audience: 'urn:tools',
      timeoutMs: 300_000,
      idempotent: true,
      tool: 'invoices/reconcile',
    };
    const { idempotent: isIdempotent, ...rest } = mcp;
    expect(first(mcp)).toEqual({ ...rest, isIdempotent });
  });

  it('are bound by the names of handlers', () => {
    const bindings = read({ 'recon.v3.reconcile': HTTP, other: { ...HTTP, kind: 'a2a' } });
    expect(typeof bindings === 'string' ? bindings : [...bindings.keys()]).toEqual([
      'recon.v3.reconcile',
      'other',
    ]);
    expect(read({ 'a b': HTTP })).toMatch(/^\/backends\/a b must be named as a handler/);
    expect(read({ '': HTTP })).toMatch(/^\/backends\/ must be named as a handler/);
    expect(read({ ['x'.repeat(256)]: HTTP })).toMatch(/must be named as a handler/);
    expect(read({ 'a/b~c': 7 })).toMatch(/^\/backends\/a~1b~0c must be an object/);
  });

  it.each([
    [{ kind: undefined }, '/kind is missing'],
    [{ kind: 'grpc' }, '/kind must be one of http, a2a, mcp'],
    [{ name: 'https://ledger.example' }, '/name must be a name of 1 to 100 letters'],
    [{ name: '' }, '/name must be'],
    [{ name: 'x'.repeat(101) }, '/name must be'],
    [{ url: 'http://ledger.example/' }, '/url must be an https URL'],
    [{ url: 'http://127.0.0.1/' }, '/url must be an https URL'],
    [{ url: 'file:///etc/passwd' }, '/url must be an https URL'],
    [{ url: 'ledger' }, '/url must be an https URL'],
    [{ url: 'https://u:p@ledger.example/' }, '/url must be an https URL without a user'],
    [{ url: 'https://ledger.example/#x' }, '/url must carry no fragment'],
    [{ audience: '' }, '/audience must be a text without spaces'],
    [{ audience: 'a b' }, '/audience must be a text without spaces'],
    [{ timeoutMs: 99 }, '/timeoutMs must be a whole number of 100 to 300000 milliseconds'],
    [{ timeoutMs: 300_001 }, '/timeoutMs must be'],
    [{ timeoutMs: 1000.5 }, '/timeoutMs must be'],
    [{ timeoutMs: '1000' }, '/timeoutMs must be'],
    [{ idempotent: 'yes' }, '/idempotent must be true or false'],
    [{ tool: 'reconcile' }, '/tool is not a documented member'],
    [{ kind: 'mcp' }, '/tool is missing'],
    [{ kind: 'mcp', tool: 'a b' }, '/tool must be the name of an MCP tool'],
    [{ retries: 3 }, '/retries is not a documented member'],
  ])('do not take %j', (changes, fault) => {
    const entry = JSON.parse(JSON.stringify({ ...HTTP, ...changes })) as unknown;
    expect(read({ h: entry })).toContain(`/backends/h${fault}`);
  });

  it('tell every fault of every one', () => {
    const told = String(read({ a: { ...HTTP, name: 7, url: 7 }, b: {} })).split('\n');
    expect(told).toEqual([
      expect.stringMatching('^/backends/a/name '),
      expect.stringMatching('^/backends/a/url '),
      '/backends/b/kind is missing',
      '/backends/b/name is missing',
      '/backends/b/url is missing',
    ]);
  });

  it('may be http on loopback addresses in development alone', () => {
    const local = { h: { ...HTTP, url: 'http://127.0.0.1:8090/invoke' } };
    expect(read(local, true)).toBeInstanceOf(Map);
    expect(typeof read(local)).toBe('string');
  });

  it.each([[[]], ['x'], [null]])('are no %j', (value) => {
    expect(read(value)).toBe('/backends must be an object');
  });

  it('are 200 at most', () => {
    const many = (count: number): object =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`h${index}`, HTTP]));
    expect(read(many(200))).toBeInstanceOf(Map);
    expect(read(many(201))).toBe('/backends must have at most 200 members');
  });
});
