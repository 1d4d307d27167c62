import { describe, expect, it } from '@jest/globals';
import {
  isLoopbackAddress,
  isPublicAddress,
} from '../../../../src/a2a/tasks/webhooks/public-address.js';
import { resolveHost } from '../../../../src/a2a/tasks/webhooks/resolve-host.js';
import { webhookTarget } from '../../../../src/a2a/tasks/webhooks/webhook-target.js';

const PUBLIC = ['8.8.8.8', '1.1.1.1', '172.32.0.1', '100.128.0.1', '2606:4700::1111', '2a00::1'];

const NOT_PUBLIC: readonly (readonly [kind: string, ...addresses: string[]])[] = [
  ['unspecified', '0.0.0.0', '0.1.2.3', '::'],
  ['loopback', '127.0.0.1', '127.255.255.254', '::1'],
  ['private', '10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1'],
  ['shared (RFC 6598)', '100.64.0.1', '100.127.255.255'],
  ['link-local', '169.254.169.254', 'fe80::1', 'fe80::1%eth0'],
  ['unique local', 'fc00::1', 'fd12:3456::1'],
  ['site-local', 'fec0::1'],
  ['documentation', '192.0.2.1', '198.51.100.7', '203.0.113.9', '2001:db8::1', '3fff::1'],
  ['benchmarks', '198.18.0.1', '198.19.255.255', '2001:2::1'],
  ['protocol assignments', '192.0.0.1', '192.0.0.170', '192.88.99.1', '2001:1::1'],
  ['multicast', '224.0.0.1', '239.255.255.255', 'ff02::1'],
  ['reserved', '240.0.0.1', '255.255.255.255', '5f00::1', '4000::1', '100::1'],
  [
    'mapped',
    '::ffff:8.8.8.8',
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '::8.8.8.8',
    '::ffff:0:8.8.8.8',
  ],
  ['NAT64', '64:ff9b::8.8.8.8', '64:ff9b::7f00:1', '64:ff9b:1::8.8.8.8'],
  ['6to4', '2002:7f00:1::1', '2002:808:808::1'],
  ['Teredo', '2001::1', '2001:0:7f00:1::'],
  ['no address', '', 'localhost', '1.2.3', '0177.0.0.1', '0x7f.1', '127.1', '1.1.1.1 ', '[::1]'],
];

describe('a public address', () => {
  it.each(PUBLIC)('is %s', (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });

  it.each(NOT_PUBLIC)('is none that is %s', (_, ...addresses) => {
    for (const address of addresses) {
      expect([address, isPublicAddress(address)]).toEqual([address, false]);
    }
  });

  it('and loopback is 127.0.0.0/8 and ::1 alone', () => {
    for (const address of ['127.0.0.1', '127.9.9.9', '::1']) {
      expect(isLoopbackAddress(address)).toBe(true);
    }
    for (const address of ['128.0.0.1', '::ffff:127.0.0.1', '0.0.0.0', '::', 'localhost']) {
      expect(isLoopbackAddress(address)).toBe(false);
    }
  });
});

const NAMES: Readonly<Record<string, readonly string[]>> = {
  'good.example': ['8.8.8.8', '2606:4700::1111'],
  'inside.example': ['10.0.0.1'],
  'mixed.example': ['8.8.8.8', '127.0.0.1'],
  'here.example': ['127.0.0.1'],
  'none.example': [],
  localhost: ['127.0.0.1', '::1'],
};

async function resolve(hostname: string): Promise<readonly string[]> {
  const addresses = NAMES[hostname];
  if (addresses === undefined) throw new Error('ENOTFOUND');
  return Promise.resolve(addresses);
}

async function faultOf(url: string, allowLoopback = false): Promise<string | undefined> {
  const target = await webhookTarget(url, { resolve, allowLoopback });
  return target.ok ? undefined : target.error.code;
}

it('localhost is this machine, whatever name servers say', async () => {
  for (const name of ['localhost', 'a.localhost']) {
    expect(await resolveHost(name)).toEqual(['127.0.0.1', '::1']);
  }
});

describe('a webhook', () => {
  it.each([
    'https://good.example/hook?x=1',
    'https://good.example:443/',
    'https://good.example:8443/',
    'https://8.8.8.8/',
    'https://[2606:4700::1111]/',
  ])('may be %s', async (url) => {
    expect(await faultOf(url)).toBeUndefined();
  });

  it('is connected to at the addresses that were judged', async () => {
    const target = await webhookTarget('https://good.example/', { resolve, allowLoopback: false });
    expect(target.ok && target.value.addresses).toEqual(NAMES['good.example']);
  });

  it.each([
    '',
    'nonsense',
    '/relative',
    'http://good.example/',
    'ftp://good.example/',
    'file:///etc/passwd',
    'gopher://good.example/',
    'https://user@good.example/',
    'https://user:secret@good.example/',
    'https://:secret@good.example/',
    'https://good.example:80/',
    'https://good.example:22/',
    'https://good.example:25/',
    'https://good.example:0/',
  ])('is by its form never %j', async (url) => {
    expect(await faultOf(url)).toBe('webhook-url-invalid');
  });

  it.each([
    'https://inside.example/',
    'https://mixed.example/',
    'https://here.example/',
    'https://none.example/',
    'https://unknown.example/',
    'https://localhost/',
    'https://127.0.0.1/',
    'https://2130706433/',
    'https://0x7f.1/',
    'https://0177.0.0.1/',
    'https://127.1/',
    'https://0/',
    'https://[::1]/',
    'https://[::ffff:127.0.0.1]/',
    'https://[::]/',
    'https://169.254.169.254/latest/meta-data/',
    'https://①②⑦.0.0.1/',
  ])('leads nowhere with %s, and says no more', async (url) => {
    const target = await webhookTarget(url, { resolve, allowLoopback: false });
    expect(target).toEqual({
      ok: false,
      error: {
        code: 'webhook-address-refused',
        detail: 'must have a host with public addresses alone',
      },
    });
  });

  it('may be on this machine only where tests allow it, and nowhere else over http', async () => {
    for (const url of ['http://127.0.0.1:8000/', 'http://[::1]:8000/', 'http://localhost:8000/']) {
      expect(await faultOf(url, true)).toBeUndefined();
      expect(await faultOf(url)).toBe('webhook-url-invalid');
    }
    expect(await faultOf('https://127.0.0.1:8000/', true)).toBeUndefined();
    for (const url of ['http://good.example/', 'http://10.0.0.1/', 'https://mixed.example/']) {
      expect(await faultOf(url, true)).toBe('webhook-address-refused');
    }
  });
});
