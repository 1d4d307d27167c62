import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { FederatedInteraction } from '../../src/kernel/federated-interaction.js';
import { countersign, Folder, type Finished } from '../cli/support/countersign.js';
import { eventually } from '../support/eventually.js';
import { startTestService, type InProcessService } from '../support/service.js';
import { contractOf, documentOf, Negotiator, pathOf } from './support/negotiator.js';
import { TamperingProxy } from './support/tampering-proxy.js';

let service: InProcessService;
let proxy: TamperingProxy;
let folder: Folder;
let alpha: Negotiator;
let beta: Negotiator;
let active: FederatedInteraction;
let key: string;
let token: string;

const AUDITOR = { principal: 'auditor', tenant: 'auditors', scopes: ['audit:read-all'] };

beforeAll(async () => {
  folder = await Folder.make();
  service = await startTestService({ env: { LOG_CHECKPOINT_SECONDS: '1' } });
  proxy = await TamperingProxy.before(service);
  alpha = await Negotiator.register(service, 'alpha');
  beta = await Negotiator.register(service, 'beta');
  active = await agreement();
  await alpha.reject(documentOf(await beta.propose(contractOf([alpha, beta]), alpha)), 'No');
  const amended = contractOf([alpha, beta], {
    interactionId: active.interactionId,
    purpose: 'Amended',
  });
  active = documentOf(await beta.accept(documentOf(await alpha.revise(active, amended))));
  await alpha.complete(active);
  const ended = await agreement();
  await beta.complete(documentOf(await alpha.complete(ended)));
  token = await service.token(AUDITOR);
  await covered();
  key = String((await service.call('GET', '/v1/log')).body['verifierKey']);
}, 60_000);

afterAll(async () => {
  await proxy.close();
  await service.dispose();
  await folder.remove();
});

/** No state is known where the log ends too early. */
const CUT =
  /\nstates were not compared: the log was not read to its end\n(nothing kept: .*\n)?not read to its end\n$/;

beforeEach(() => {
  proxy.status = (_, status) => status;
  proxy.tamper = (_, body) => body;
  proxy.whole = () => 1;
});

async function agreement(): Promise<FederatedInteraction> {
  const proposed = documentOf(await alpha.propose(contractOf([alpha, beta]), beta));
  return documentOf(await beta.accept(proposed));
}

/** Until a checkpoint covers all that was written. */
async function covered(): Promise<void> {
  const { length } = (await exported()).trimEnd().split('\n');
  await eventually(async () => {
    const { text } = await service.call('GET', '/log/checkpoint');
    return Number(text.split('\n')[1]) >= length;
  }, 20_000);
}

async function exported(): Promise<string> {
  const { text } = await service.call('GET', '/v1/events', {
    token,
    headers: { accept: 'application/x-ndjson' },
  });
  return text;
}

const audit = (...args: readonly string[]): Promise<Finished> =>
  countersign(['audit', ...args, '--trust', key, '--threads', '2'], '', {
    COUNTERSIGN_TOKEN: token,
  });

/** The lines of an export, changed by `change`; undefined leaves one out. */
const tamperedLines =
  (change: (event: Event) => object | undefined) =>
  (path: string, body: string): string => {
    if (!path.startsWith('/v1/events')) return body;
    const lines = body.trimEnd().split('\n');
    const changed = lines.map((line) => change(JSON.parse(line) as Event));
    return changed
      .map((event) => (event === undefined ? '' : `${JSON.stringify(event)}\n`))
      .join('');
  };

interface Event {
  readonly subject: string;
  readonly revision: number;
  readonly time: string;
  readonly data: { readonly metadata: object; readonly data: object };
}

const streamOfActive = (): string => `interaction-${active.interactionId}`;

describe('of a service that says what its log says', () => {
  it('everything is verified, and the checkpoint is kept', async () => {
    const state = folder.in('state');
    const { exitCode, stdout, stderr } = await audit(service.url, '--state', state);
    expect([exitCode, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^verified +checkpoint +\d+ entries$/m);
    expect(stdout).toMatch(/^3 interactions compared with the service, 0 differ$/m);
    expect(stdout).toMatch(/\nverified\n$/);
    const { text } = await service.call('GET', '/log/checkpoint');
    expect(await readFile(state, 'utf8')).toBe(text);
    const [, size, root] = text.split('\n');
    expect(stdout).toContain(`\n${String(size)} entries, root ${String(root)}\n`);

    await agreement();
    await covered();
    const again = await audit(service.url, '--state', state);
    expect([again.exitCode, again.stderr]).toEqual([0, '']);
    expect(again.stdout).toMatch(/^verified +consistency +\d+ entries$/m);
    expect(await readFile(state, 'utf8')).not.toBe(text);
  });

  it('an export that breaks off goes on after the last whole event', async () => {
    await covered();
    const exports: string[] = [];
    proxy.whole = (path) => {
      if (!path.startsWith('/v1/events')) return 1;
      return exports.push(path) <= 4 ? 0.6 : 1;
    };
    const { exitCode, stdout, stderr } = await audit(proxy.url);
    expect([exitCode, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/, 0 differ\nverified\n$/);
    // The first one only tells whose log it is.
    const [, first, ...later] = exports;
    expect(first).toBe('/v1/events');
    expect(later.length).toBeGreaterThan(2);
    expect(later).toEqual(later.map(() => expect.stringMatching(/^\/v1\/events\?after=\d+$/)));
    expect(new Set(later).size).toBe(later.length);
  });

  it('an export that gives no whole event is given up', async () => {
    proxy.whole = (path) => (path.startsWith('/v1/events?') || path === '/v1/events' ? 0.0001 : 1);
    const { exitCode, stdout, stderr } = await audit(proxy.url);
    expect([exitCode, stdout]).toEqual([2, '']);
    expect(stderr).toContain('service-unreachable');
  });

  it('an export that breaks off, and is then refused, is told as far as it was read', async () => {
    await covered();
    let asked = 0;
    proxy.whole = (path) => (path.startsWith('/v1/events') && ++asked === 2 ? 0.6 : 1);
    proxy.status = (path, status) => (path.startsWith('/v1/events?after') ? 503 : status);
    const { exitCode, stdout, stderr } = await audit(proxy.url);
    expect([exitCode, stdout]).toEqual([2, expect.stringMatching(CUT)]);
    expect(stderr).toMatch(/^service-refused: .* answered with HTTP 503/m);
  });

  it('what comes before a line that is no event is told, and nothing follows', async () => {
    await covered();
    const state = folder.in('cut');
    const garbageAt = 9;
    proxy.tamper = (path, body) =>
      path.startsWith('/v1/events')
        ? body
            .split('\n')
            .map((line, place) => (place === garbageAt ? '<html>502</html>' : line))
            .join('\n')
        : body;
    const { exitCode, stdout, stderr } = await audit(proxy.url, '--state', state, '--follow');
    expect([exitCode, stdout]).toEqual([2, expect.stringMatching(CUT)]);
    expect(stdout).toContain(`${String(garbageAt)} entries, root `);
    expect(stdout).toContain('\nnothing kept: the log was not read to its end\n');
    expect(stdout).not.toContain('log-shorter');
    expect(stderr).toMatch(/^events-malformed: line 10 is no event of this log/m);
    await expect(readFile(state)).rejects.toThrow('ENOENT');
  });

  it('gives no false alarm while the service moves on', async () => {
    let isOver = false;
    const writing = (async () => {
      while (!isOver) await agreement();
    })();
    const { exitCode, stdout } = await audit(service.url);
    isOver = true;
    await writing;
    expect([exitCode, stdout]).toEqual([0, expect.stringContaining(' 0 differ')]);
  });

  it('an export leads to the root of its checkpoint, offline', async () => {
    await covered();
    const { text } = await service.call('GET', '/log/checkpoint');
    const size = Number(text.split('\n')[1]);
    const lines = (await exported()).split('\n').slice(0, size);
    const file = await folder.file('log.ndjson', `${lines.join('\n')}\n`);
    const checkpoint = await folder.file('checkpoint', text);
    const { exitCode, stdout } = await audit(file, '--checkpoint', checkpoint);
    expect([exitCode, stdout]).toEqual([0, expect.stringContaining(`${String(size)} entries`)]);

    const alone = await audit(file);
    expect(alone.exitCode).toBe(3);
    expect(alone.stdout).toMatch(/^not checkable +checkpoint .*checkpoint-missing/m);

    const shorter = await folder.file('shorter.ndjson', `${lines.slice(0, -1).join('\n')}\n`);
    const less = await audit(shorter, '--checkpoint', checkpoint);
    expect([less.exitCode, less.stdout]).toEqual([1, expect.stringContaining('log-shorter')]);

    const cut = await folder.file('cut.ndjson', lines.join('\n').slice(0, -9));
    const broken = await audit(cut, '--checkpoint', checkpoint);
    expect([broken.exitCode, broken.stderr]).toEqual([
      2,
      expect.stringMatching(/^events-malformed/),
    ]);
  });
});

describe('of a service that answers otherwise', () => {
  it('finds the member of the interaction, with an exit code of its own', async () => {
    proxy.tamper = (path, body) =>
      path.startsWith(pathOf(active))
        ? body.replace('"status":"active"', '"status":"completed"')
        : body;
    const { exitCode, stdout } = await audit(proxy.url);
    expect(exitCode).toBe(4);
    expect(stdout).toMatch(
      new RegExp(
        `^differs +state +${streamOfActive()}@\\d+ /status: log "active", service "completed"$`,
        'm',
      ),
    );
  });

  it('finds an interaction that is denied', async () => {
    proxy.tamper = (path, body) => (path.startsWith(pathOf(active)) ? '{}' : body);
    const { exitCode, stdout } = await audit(proxy.url);
    expect([exitCode, stdout]).toEqual([4, expect.stringContaining(' 1 differ')]);
  });

  it.each([
    [
      'a member that no signature covers',
      (event: Event) => ({
        ...event,
        data: { ...event.data, metadata: { ...event.data.metadata, traceparent: 'forged' } },
      }),
      /^failed +inclusion +entry \d+, interaction-[0-9a-f-]+@1 +not-included/m,
    ],
    [
      'a moment',
      (event: Event) => ({ ...event, time: '2020-01-01T00:00:00.000Z' }),
      /recorded-earlier|accepted-at/,
    ],
    ['the event itself, left out', () => undefined, /revision-gap/],
  ])('finds %s of one event', async (_, change, reason) => {
    proxy.tamper = tamperedLines((event) =>
      event.subject === streamOfActive() && event.revision === 1 ? change(event) : event,
    );
    const { exitCode, stdout } = await audit(proxy.url);
    expect(exitCode).toBe(1);
    expect(stdout).toMatch(/^failed +checkpoint /m);
    expect(stdout).toMatch(reason);
  });

  it('finds the newest event left out', async () => {
    proxy.tamper = (path, body) =>
      path.startsWith('/v1/events')
        ? body.slice(0, body.lastIndexOf('\n', body.length - 2) + 1)
        : body;
    await covered();
    const { exitCode, stdout } = await audit(proxy.url);
    expect([exitCode, stdout]).toEqual([1, expect.stringContaining('log-shorter')]);
  });

  it('finds two events that have changed places', async () => {
    proxy.tamper = (path, body) => {
      if (!path.startsWith('/v1/events')) return body;
      const [a = '', b = '', ...rest] = body.split('\n');
      return [b, a, ...rest].join('\n');
    };
    const { exitCode, stdout } = await audit(proxy.url);
    expect([exitCode, stdout]).toEqual([1, expect.stringContaining('root-mismatch')]);
  });
});

describe('following a service', () => {
  it('goes on from look to look, and ends where it answers otherwise', async () => {
    const state = folder.in('followed');
    const following = audit(proxy.url, '--follow', '--every', '1', '--state', state);
    await eventually(async () => readFile(state).then(Boolean, () => false), 20_000);
    const later = await agreement();
    proxy.tamper = (path, body) =>
      path.startsWith(pathOf(later)) ? body.replace('"active"', '"pending"') : body;
    const { exitCode, stdout } = await following;
    expect(exitCode).toBe(4);
    expect(stdout).toMatch(/\nverified\n/);
    expect(stdout).toContain(
      `interaction-${later.interactionId}@2 /status: log "active", service "pending"`,
    );
    expect(stdout).toMatch(/^1 interaction compared with the service, 1 differs$/m);
  });
});

describe('of another log', () => {
  let other: InProcessService;

  beforeAll(async () => {
    other = await startTestService({ env: { LOG_CHECKPOINT_SECONDS: '1' } });
    const gamma = await Negotiator.register(other, 'gamma');
    await gamma.get('/v1/log');
    await eventually(async () => (await other.call('GET', '/log/checkpoint')).status === 200);
  });

  afterAll(async () => {
    await other.dispose();
  });

  it('under the same name, the tree is found to be another', async () => {
    proxy.tamper = async (path, body) =>
      /^\/(v1\/)?log/.test(path) ? (await other.call('GET', path)).text : body;
    const { exitCode, stdout } = await audit(proxy.url);
    expect(exitCode).toBe(1);
    expect(stdout).toMatch(/^failed +checkpoint .*root-mismatch/m);
  });

  it('what an earlier audit has kept is not given up', async () => {
    const state = folder.in('kept');
    await audit(service.url, '--state', state);
    const kept = await readFile(state, 'utf8');
    const { body } = await other.call('GET', '/v1/log');
    const { exitCode, stdout } = await countersign([
      'audit',
      other.url,
      '--trust',
      String(body['verifierKey']),
      '--state',
      state,
      '--token',
      await other.token(AUDITOR),
    ]);
    expect(exitCode).toBe(1);
    expect(stdout).toMatch(/^failed +consistency +\d+ entries +log-shorter: /m);
    expect(await readFile(state, 'utf8')).toBe(kept);
  });

  it('whose key was not named, nothing is taken for verified', async () => {
    const { body } = await other.call('GET', '/v1/log');
    const { exitCode, stdout } = await countersign([
      'audit',
      service.url,
      '--trust',
      String(body['verifierKey']),
      '--token',
      token,
    ]);
    expect(exitCode).toBe(3);
    expect(stdout).toMatch(/^not checkable +checkpoint .*checkpoint-unsigned/m);
  });
});

it('without anything to trust, one line says that nobody vouches for its checkpoints', async () => {
  await agreement();
  await covered();
  const { body } = await service.call('GET', '/v1/log/checkpoints');
  const { length } = body['checkpoints'] as readonly unknown[];
  expect(length).toBeGreaterThan(1);
  const { exitCode, stdout } = await countersign(['audit', service.url, '--token', token]);
  expect(exitCode).toBe(3);
  const told = stdout.split('\n').filter((line) => line.includes('log-unnamed'));
  expect(told).toEqual([
    expect.stringMatching(
      /^not checkable +checkpoint +\d+ entries .*, the newest of \d+ checkpoints\)$/,
    ),
  ]);
  expect(stdout).toMatch(/\nnot checkable\n$/);
});

describe('what cannot be audited', () => {
  it('a file that another command takes is told as what it is', async () => {
    const bundle = await alpha.get(`${pathOf(active)}/evidence`, { token: alpha.runtimeToken });
    const document = await alpha.get(pathOf(active));
    const page = await service.call('GET', '/v1/events?limit=2', { token });
    for (const [text, told] of [
      [bundle.text, /evidence bundle, which `countersign verify FILE --trust KEY` takes/],
      [JSON.stringify(bundle.body), /evidence bundle/],
      [JSON.stringify(bundle.body, null, 2), /evidence bundle/],
      [document.text, /interaction document, which `countersign verify FILE --keys KEYS` takes/],
      [page.text, /page of events; .*x-ndjson/],
    ] as const) {
      const { exitCode, stderr } = await audit(await folder.file('mixed-up', text));
      expect([exitCode, stderr]).toEqual([2, expect.stringMatching(/^events-malformed: /)]);
      expect(stderr).toMatch(told);
    }
  });

  it('a page, or an export, is told to whoever would verify it', async () => {
    const page = await service.call('GET', '/v1/events?limit=2', { token });
    const lines = await exported();
    for (const [text, code] of [
      [lines, 'json-syntax'],
      [lines.slice(0, lines.indexOf('\n')), 'document-invalid'],
      [page.text, 'document-invalid'],
    ] as const) {
      const file = await folder.file('mixed-up', text);
      const { exitCode, stderr } = await countersign(['verify', file, '--trust', key]);
      expect([exitCode, stderr]).toEqual([2, expect.stringMatching(`^${code}: `)]);
      expect(stderr).toContain('`countersign audit');
    }
  });

  it('a token that sees a part of the log is told so before anything is read', async () => {
    const part = await service.token({ ...AUDITOR, scopes: ['audit:read'] });
    const { exitCode, stderr } = await countersign(['audit', service.url, '--token', part]);
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/^usage: the token lacks the scope audit:read-all: .*evidence bundles/);
  });

  it.each([
    ['http://example.com', 'usage'],
    ['https://user:secret@example.com', 'usage'],
    ['https://example.com/path', 'usage'],
    ['http://127.0.0.1:9', 'service-unreachable'],
  ])('%s', async (url, code) => {
    const { exitCode, stderr } = await audit(url);
    expect([exitCode, stderr]).toEqual([2, expect.stringMatching(new RegExp(`^${code}: `))]);
    expect(stderr).not.toContain(token);
  });

  it('a token that the service refuses', async () => {
    const { exitCode, stderr } = await countersign(['audit', service.url, '--token', 'x.y.z']);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('HTTP 401 token-invalid')]);
  });
});
