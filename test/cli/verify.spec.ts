import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { verifyInteraction } from '../../src/audit/verify/verify-interaction.js';
import { parseVerificationKeys } from '../../src/audit/verify/verification-keys.js';
import {
  after,
  alpha,
  beta,
  interactionOf,
  keyEntry,
  keysDocument,
  negotiated,
  platform,
  proposedAt,
  START,
} from '../audit/support/documents.js';
import { countersign, Folder } from './support/countersign.js';

let folder: Folder;
let document: string;
let keys: string;
beforeAll(async () => {
  folder = await Folder.make();
  document = await folder.file('document.json', negotiated());
  keys = await folder.file('keys.json', keysDocument());
});
afterAll(() => folder.remove());

const verify = (given: unknown, keysFile = keys) =>
  countersign(
    ['verify', '-', '--keys', keysFile],
    typeof given === 'string' ? given : JSON.stringify(given),
  );

const lines = (stdout: string): string[] => stdout.trimEnd().split('\n');

describe('exit code 0', () => {
  it('everything is verified, one line per check', async () => {
    const { exitCode, stdout, stderr } = await countersign(['verify', document, '--keys', keys]);
    expect([exitCode, stderr]).toEqual([0, '']);
    const parsed = parseVerificationKeys(keysDocument());
    if (!parsed.ok) throw new Error('the keys of the test are unreadable');
    const { checks } = verifyInteraction(negotiated(), parsed.value);
    expect(lines(stdout).map((line) => line.split(/ {2,}/))).toEqual(
      checks.map(({ check, subject }) => ['verified', check, subject]),
    );
  });
});

describe('exit code 1', () => {
  const [first, inForce, ...rest] = negotiated().contractRevisions;
  const withInForce = (change: object) => ({
    ...negotiated(),
    contractRevisions: [first, { ...inForce, ...change }, ...rest],
  });

  it.each([
    [
      'another term',
      { ...negotiated(), contract: { ...negotiated().contract, retentionDays: 31 } },
      'terms-hash-mismatch',
    ],
    [
      'another digest',
      withInForce({
        platformAttestation: { ...inForce!.platformAttestation, digest: 'A'.repeat(43) },
      }),
      'digest-mismatch',
    ],
    ['another moment', withInForce({ updatedAt: inForce!.createdAt }), 'digest-mismatch'],
    ['another status', { ...negotiated(), status: 'completed' }, 'status-inconsistent'],
    ['no attestation', withInForce({ platformAttestation: undefined }), 'attestation-missing'],
    [
      'a schema violation',
      { ...negotiated(), verificationKeys: keysDocument() },
      'schema-violation',
    ],
    ['no object', [], 'schema-violation'],
  ])('%s', async (_, tampered, reason) => {
    const { exitCode, stdout, stderr } = await verify(tampered);
    expect([exitCode, stderr]).toEqual([1, '']);
    const failed = lines(stdout).filter((line) => line.startsWith('failed '));
    expect(failed.join('\n')).toContain(` ${reason}: `);
  });

  it('an acceptance recorded after its key was revoked is raced', async () => {
    const revoked = keysDocument();
    revoked.agents[beta.agentId] = [keyEntry(beta, { revoked: START })];
    const { exitCode, stdout } = await verify(
      negotiated(),
      await folder.file('raced.json', revoked),
    );
    expect(exitCode).toBe(1);
    expect(stdout).toMatch(/^failed +acceptance +revision 2, agent-beta +raced: /m);
  });
});

describe('exit code 3', () => {
  it.each([
    [
      'a platform key is missing',
      { ...keysDocument(), platform: [] },
      /^not checkable +attestation +revision 2 +key-missing: .*platform-1/m,
    ],
    [
      'a party is missing',
      { ...keysDocument(), agents: { [alpha.agentId]: [keyEntry(alpha)] } },
      /^not checkable +acceptance +revision 2, agent-beta +key-missing: .*agent-beta#1/m,
    ],
    [
      'the platform key was revoked later',
      {
        ...keysDocument(),
        platform: [
          { ...keyEntry(platform, { revoked: '2031-01-01T00:00:00Z' }), purpose: 'attestation' },
        ],
      },
      /^not checkable +attestation +revision 2 +log-position-needed: /m,
    ],
    [
      'an acceptance is dated just after its key was revoked',
      {
        ...keysDocument(),
        agents: {
          ...keysDocument().agents,
          [beta.agentId]: [
            keyEntry(beta, {
              until: after(proposedAt(3), -0.004),
              revoked: after(proposedAt(3), -0.004),
            }),
          ],
        },
      },
      /^not checkable +acceptance +revision 3, agent-beta +recorded-moment-unknown: /m,
    ],
  ])('%s', async (name, given, line) => {
    const { exitCode, stdout, stderr } = await verify(
      negotiated(),
      await folder.file(`${name}.json`, given),
    );
    expect([exitCode, stderr]).toEqual([3, '']);
    expect(stdout).toMatch(line);
    expect(stdout).not.toMatch(/^failed/m);
  });

  it('a failure outweighs it', async () => {
    const without = await folder.file('without-platform.json', { ...keysDocument(), platform: [] });
    expect((await verify({ ...negotiated(), status: 'completed' }, without)).exitCode).toBe(1);
  });

  it('the texts are erased', async () => {
    const { exitCode, stdout } = await verify({ status: 410, code: 'interaction-erased' });
    expect(exitCode).toBe(3);
    expect(stdout).toMatch(/^erased +schema +interaction +erased: /);
  });
});

describe('exit code 2', () => {
  const text = JSON.stringify(negotiated());

  it.each([
    ['json-syntax', text.slice(0, -1)],
    ['json-syntax', ''],
    ['json-duplicate-name', text.replace('"status":', '"status":"pending","status":')],
    ['json-lone-surrogate', text.replace('Terms 2', '\\ud83d')],
    ['json-inexact-number', text.replace('"retentionDays":30', '"retentionDays":9007199254740993')],
    ['json-too-deep', '['.repeat(100) + ']'.repeat(100)],
  ])('the document is unreadable: %s', async (code, given) => {
    const { exitCode, stdout, stderr } = await verify(given);
    expect([exitCode, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(new RegExp(`^${code}: `));
  });

  it('a refusal that was saved as a document is named', async () => {
    const { exitCode, stdout, stderr } = await verify({
      status: 404,
      code: 'interaction-not-found',
    });
    expect([exitCode, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/^document-invalid: .*interaction-not-found/);
  });

  it.each([
    ['json-syntax', '{'],
    ['json-duplicate-name', '{"audience":"a","audience":"b","agents":{},"platform":[]}'],
    ['keys-invalid', '[]'],
    ['keys-invalid', '{"audience":"a","agents":{}}'],
  ])('the keys are unreadable: %s', async (code, given) => {
    const { exitCode, stdout, stderr } = await verify(
      negotiated(),
      await folder.file('bad-keys.json', given),
    );
    expect([exitCode, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(new RegExp(`^${code}: `));
  });

  it.each([
    ['usage', () => ['verify', document]],
    ['usage', () => ['verify', '--keys', keys]],
    ['usage', () => ['verify', document, document, '--keys', keys]],
    ['usage', () => ['verify', '-', '--keys', '-']],
    ['input-unreadable', () => ['verify', '/no/such/file', '--keys', keys]],
    ['input-unreadable', () => ['verify', document, '--keys', '/no/such/file']],
  ] as [string, () => string[]][])('%s (%#)', async (code, args) => {
    const { exitCode, stdout, stderr } = await countersign(args());
    expect([exitCode, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(new RegExp(`^${code}: `));
  });
});

describe('hostile documents', () => {
  it('write no control characters to the terminal and no line of their own', async () => {
    const name = 'x\nverified       schema\u001b[31m\u202e';
    const forged = interactionOf({
      status: 'active',
      revisions: [
        {
          by: alpha,
          status: 'accepted',
          and: [beta],
          change: (it) => ({
            ...it,
            acceptances: { ...it.acceptances, [name]: it.acceptances[beta.agentId]! },
          }),
        },
      ],
    });
    const { exitCode, stdout } = await verify(forged);
    expect(exitCode).toBe(1);
    // eslint-disable-next-line no-control-regex
    expect(stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
    for (const line of lines(stdout))
      expect(line).toMatch(/^(verified|failed|not checkable) +[a-z-]+ +/);
    expect(lines(stdout).filter((line) => /^verified +schema/.test(line))).toHaveLength(1);
  });
});

describe('keys from a URL', () => {
  const requests: IncomingMessage[] = [];
  let server: Server;
  let base: string;
  const answers: Record<string, (request: IncomingMessage, response: ServerResponse) => void> = {
    '/keys': (_, response) => response.end(JSON.stringify(keysDocument())),
    '/protected': (request, response) => {
      if (request.headers.authorization !== 'Bearer secret-token') response.statusCode = 401;
      response.end(JSON.stringify(keysDocument()));
    },
    '/moved': (_, response) => response.writeHead(302, { location: `${base}/keys` }).end(),
    '/cut': (request, response) => {
      response.writeHead(200, { 'content-length': '1000' }).write('{');
      setTimeout(() => request.socket.destroy(), 50);
    },
    '/page': (_, response) => response.end('<html></html>'),
    '/endless': (_, response) => {
      const chunk = Buffer.alloc(1024 * 1024, 0x20);
      const more = (): void => {
        while (!response.destroyed && response.write(chunk));
        if (!response.destroyed) response.once('drain', more);
      };
      more();
    },
  };

  beforeAll(async () => {
    server = createServer((request, response) => {
      requests.push(request);
      const answer = answers[request.url ?? ''];
      if (answer === undefined) response.writeHead(404).end();
      else answer(request, response);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => new Promise((resolve) => server.close(resolve)));

  it('are fetched, without credentials unless given', async () => {
    expect((await countersign(['verify', document, '--keys', `${base}/keys`])).exitCode).toBe(0);
    expect(requests.at(-1)?.headers.authorization).toBeUndefined();
    const args = ['verify', document, '--keys', `${base}/protected`, '--token', 'secret-token'];
    expect(await countersign(args)).toMatchObject({ exitCode: 0, stderr: '' });
  });

  it.each([
    ['/protected', 'keys-unreachable', 'HTTP 401'],
    ['/none', 'keys-unreachable', 'HTTP 404'],
    ['/moved', 'keys-unreachable', 'HTTP 302'],
    ['/cut', 'keys-unreachable', 'cannot be reached'],
    ['/page', 'json-syntax', ''],
    ['/endless', 'json-too-large', '64 MiB'],
  ])('%s: %s %s', async (path, code, mention) => {
    const before = requests.length;
    const args = ['verify', document, '--keys', `${base}${path}`, '--token', 'other-token'];
    const { exitCode, stdout, stderr } = await countersign(args);
    expect([exitCode, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(new RegExp(`^${code}: .*${mention}`));
    expect(stderr).not.toContain('other-token');
    expect(requests.length).toBe(before + 1);
  });

  it.each([
    [
      'a token never travels in the clear',
      ['--keys', 'http://keys.example/', '--token', 'secret-token'],
    ],
    ['credentials have no place in a URL', ['--keys', 'http://me:secret-token@127.0.0.1:1/']],
    ['an address must be one', ['--keys', 'http://']],
  ])('%s', async (_, args) => {
    const { exitCode, stderr } = await countersign(['verify', document, ...args]);
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/^usage: /);
    expect(stderr).not.toContain('secret-token');
  });

  it('nobody listens', async () => {
    const { exitCode, stderr } = await countersign([
      'verify',
      document,
      '--keys',
      'http://127.0.0.1:1/',
    ]);
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/^keys-unreachable: /);
  });
});
