import { existsSync } from 'node:fs';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parseSignedCheckpoint, type Checkpoint } from '../../src/kernel/checkpoint.js';
import { sameHash, verifyConsistency, verifyInclusion } from '../../src/kernel/merkle.js';
import {
  formatNoteKey,
  noteKey,
  parseNoteKey,
  signNote,
  verifyNote,
} from '../../src/kernel/note-key.js';
import { formatNote, parseNote } from '../../src/kernel/signed-note.js';
import { RestAgent } from '../agents/support/rest-agent.js';
import { makeKey } from '../audit/log/support/log-node.js';
import { eventually } from '../support/eventually.js';
import {
  startTestService,
  type Answer,
  type InProcessService,
  type SpawnedService,
  type TestService,
} from '../support/service.js';
import { spawnTwoNodes } from './support/nodes.js';
import { TileClient } from './support/tile-client.js';

const witnessPair = makeKey('w1');
const witness = noteKey('witness.example/w1', 'cosignature/v1', witnessPair.jwk);
const ENV = { LOG_CHECKPOINT_SECONDS: '1', LOG_WITNESSES: formatNoteKey(witness) };
const PATIENCE_MS = 30_000;

let count = 0;

async function addEvents(service: TestService, events: number): Promise<void> {
  for (let added = 0; added < events; added++) {
    const agent = new RestAgent(service, `agent-${String(++count)}`);
    const answer = await agent.register([]);
    if (answer.status !== 201) throw new Error(answer.text);
  }
}

/** The newest checkpoint, its signature verified with the key that the log says it has. */
async function checkpoint(service: TestService): Promise<Checkpoint | undefined> {
  const answer = await service.call('GET', '/log/checkpoint');
  if (answer.status !== 200) return undefined;
  const signed = parseSignedCheckpoint(answer.text);
  const { body } = await service.call('GET', '/v1/log');
  const key = parseNoteKey(String(body['verifierKey']));
  if (signed === undefined || !key.ok) throw new Error(answer.text);
  expect(verifyNote(signed.note, key.value).verdict).toBe('signed');
  expect(signed.checkpoint.origin).toBe(`${new URL(service.audience).host}/log`);
  return signed.checkpoint;
}

async function checkpointOf(service: TestService, least: number): Promise<Checkpoint> {
  let found: Checkpoint | undefined;
  await eventually(async () => {
    found = await checkpoint(service);
    return found !== undefined && found.size >= least;
  }, PATIENCE_MS);
  if (found === undefined) throw new Error('no checkpoint');
  return found;
}

const hashOf = (text: unknown) => new Uint8Array(Buffer.from(String(text), 'base64url'));
const hashes = (answer: Answer) => (answer.body['proof'] as readonly string[]).map(hashOf);
const codeOf = ({ status, body }: Answer): unknown => [status, body['code']];

describe('the transparency log', () => {
  let service: InProcessService;

  beforeAll(async () => {
    service = await startTestService({ env: ENV });
    await addEvents(service, 270);
    await checkpointOf(service, 270);
  }, 2 * PATIENCE_MS);

  afterAll(async () => {
    await service.dispose();
  });

  it('is read from tiles alone, root and proofs', async () => {
    const { size, rootHash } = await checkpointOf(service, 270);
    const client = new TileClient(`${service.url}/log`, size);
    expect(sameHash(await client.root(), rootHash)).toBe(true);
    for (const index of [0, 255, 256, size - 1]) {
      const proof = await client.inclusionProof(index);
      const claim = { leafHash: await client.hash(0, index), index, size, proof, root: rootHash };
      expect(verifyInclusion(claim)).toBe(true);
      const answer = await service.call(
        'GET',
        `/v1/log/proofs/inclusion?index=${String(index)}&size=${String(size)}`,
      );
      expect(hashes(answer).map((each) => Buffer.from(each))).toEqual(
        proof.map((each) => Buffer.from(each)),
      );
      const byHash = `/v1/log/proofs/inclusion?leafHash=${String(answer.body['leafHash'])}`;
      expect((await service.call('GET', byHash)).body).toMatchObject({ index });
    }
    expect(client.requested).toContain(`${service.url}/log/tile/0/000`);
  });

  it('proves that it only grows', async () => {
    const first = await checkpointOf(service, 1);
    await addEvents(service, 3);
    const second = await checkpointOf(service, first.size + 3);
    const sizes = `from=${String(first.size)}&to=${String(second.size)}`;
    const answer = await service.call('GET', `/v1/log/proofs/consistency?${sizes}`);
    const claim = {
      first: first.size,
      second: second.size,
      firstRoot: first.rootHash,
      secondRoot: second.rootHash,
      proof: hashes(answer),
    };
    expect(verifyConsistency(claim)).toBe(true);
    const pages = await service.call('GET', '/v1/log/checkpoints?limit=1');
    expect(pages.body).toMatchObject({ checkpoints: [{ size: second.size }] });
    const next = String(pages.body['nextCursor']);
    const older = await service.call('GET', `/v1/log/checkpoints?cursor=${next}`);
    expect(older.body['checkpoints']).toContainEqual(expect.objectContaining({ size: first.size }));
  });

  it('says how long its answers may be kept', async () => {
    const cacheOf = async (path: string) => {
      const { status, headers } = await service.call('GET', path);
      return [status, headers.get('cache-control'), headers.get('content-type')];
    };
    const bytes = 'application/octet-stream';
    expect(await cacheOf('/log/checkpoint')).toEqual([
      200,
      'no-store',
      'text/plain; charset=utf-8',
    ]);
    expect(await cacheOf('/log/tile/0/000')).toEqual([
      200,
      'public, max-age=31536000, immutable',
      bytes,
    ]);
    expect(await cacheOf('/log/tile/0/001.p/1')).toEqual([200, 'public, max-age=60', bytes]);
    // As clients made from the OpenAPI description write it.
    expect(await cacheOf('/log/tile/0%2F001.p%2F1')).toEqual([200, 'public, max-age=60', bytes]);
    expect(await cacheOf('/log/tile/1/000.p/1')).toEqual([200, 'public, max-age=60', bytes]);
  });

  it.each([
    ['/log/tile/0/001', 'beyond-checkpoint'],
    ['/log/tile/0/002.p/1', 'beyond-checkpoint'],
    ['/log/tile/9/000.p/1', 'beyond-checkpoint'],
    ['/log/tile/0/x000/000', 'not-found'],
    ['/log/tile/0/0', 'not-found'],
    ['/log/tile/00/000', 'not-found'],
    ['/log/tile/0/000.p/0', 'not-found'],
    ['/log/tile/0/000%2ep/1%00', 'not-found'],
    ['/log/tile/entries/000', 'not-found'],
    ['/v1/log/proofs/inclusion?index=100000', 'beyond-checkpoint'],
    ['/v1/log/proofs/inclusion?index=0&size=100000', 'beyond-checkpoint'],
    ['/v1/log/proofs/inclusion?index=5&size=5', 'beyond-checkpoint'],
    [`/v1/log/proofs/inclusion?leafHash=${'A'.repeat(43)}`, 'beyond-checkpoint'],
    ['/v1/log/proofs/consistency?from=100000', 'beyond-checkpoint'],
    ['/v1/log/proofs/consistency?from=5&to=4', 'beyond-checkpoint'],
  ])('answers 404 to %s', async (path, code) => {
    expect(codeOf(await service.call('GET', path))).toEqual([404, code]);
  });

  it.each([
    '/v1/log/proofs/inclusion',
    `/v1/log/proofs/inclusion?index=1&leafHash=${'A'.repeat(43)}`,
    '/v1/log/proofs/inclusion?index=-1',
    '/v1/log/proofs/inclusion?index=01',
    '/v1/log/proofs/inclusion?index=1e2',
    '/v1/log/proofs/inclusion?leafHash=AAAA',
    '/v1/log/proofs/consistency',
    '/v1/log/proofs/consistency?from=1&from=2',
    '/v1/log/checkpoints?limit=0',
  ])('answers 400 to %s', async (path) => {
    expect(codeOf(await service.call('GET', path))).toEqual([400, 'request-invalid']);
  });

  it('serves the cosignatures of its witnesses', async () => {
    const { size } = await checkpointOf(service, 1);
    const served = parseNote((await service.call('GET', '/log/checkpoint')).text);
    const text = served?.text ?? '';
    const now = Math.floor(Date.now() / 1000);
    const note = formatNote({
      text,
      signatures: [signNote(text, witness, witnessPair.sign, now)],
    });
    const cosigned = await service.call('POST', '/v1/log/cosignatures', { body: { note } });
    expect(cosigned.status).toBe(200);
    const again = await service.call('GET', '/log/checkpoint');
    expect(again.text).toBe(cosigned.body['note']);
    const verdict = verifyNote(parseNote(again.text) ?? { text: '', signatures: [] }, witness);
    expect(verdict).toEqual({ verdict: 'signed', cosignedAt: now });
    expect((await service.call('GET', '/v1/log')).body['witnesses']).toMatchObject([
      { name: witness.name, verifierKey: formatNoteKey(witness), newest: { size } },
    ]);
    const stranger = await service.call('POST', '/v1/log/cosignatures', {
      body: { note: (await service.call('GET', '/log/checkpoint')).text.replaceAll('w1', 'w2') },
    });
    expect(codeOf(stranger)).toEqual([422, 'witness-unknown']);
  });

  it(
    'makes the tree anew that another log has left behind: what is kept fits the log',
    async () => {
      const other = await startTestService({ env: ENV });
      await addEvents(other, 7);
      await checkpointOf(other, 7);
      await other.stop();
      const { size } = await checkpointOf(service, 1);
      await service.stop();
      for (const suffix of ['', '-wal', '-shm']) {
        const file = join(service.folder, `log-tree.db${suffix}`);
        await rm(file, { force: true });
        const left = join(other.folder, `log-tree.db${suffix}`);
        if (existsSync(left)) await copyFile(left, file);
      }
      await rm(other.folder, { recursive: true, force: true });
      await service.start();
      await addEvents(service, 1);
      await checkpointOf(service, size + 1);
      expect((await service.call('GET', '/health/ready')).status).toBe(200);
      expect(existsSync(join(service.folder, 'log-tree.db.damaged'))).toBe(true);
    },
    3 * PATIENCE_MS,
  );

  it(
    'is taken out of service over a log whose end was exchanged',
    async () => {
      const file = join(service.folder, 'events.db');
      // Before the end that is exchanged: a node that starts may sign at once.
      const { size } = await checkpointOf(service, 1);
      await service.stop();
      await copyFile(file, `${file}.older`);
      await service.start();
      await addEvents(service, 5);
      await checkpointOf(service, size + 5);
      await service.stop();
      for (const suffix of ['', '-wal', '-shm']) {
        await rm(file + suffix, { force: true });
        for (const derived of ['log-tree.db', 'read.db']) {
          await rm(join(service.folder, derived + suffix), { force: true });
        }
      }
      await copyFile(`${file}.older`, file);
      await service.start();
      await addEvents(service, 5);
      const token = await service.token({ scopes: ['operator:read'] });
      await eventually(async () => {
        const { text } = await service.call('GET', '/health', { token });
        return text.includes('"state":"refusing"');
      }, PATIENCE_MS);
      const { body } = await service.call('GET', '/health/ready');
      expect(body).toMatchObject({ checks: { 'transparency-log': 'failing' } });
      // What it would publish now speaks against what it published before.
      for (const path of ['/log/checkpoint', '/v1/log', '/v1/log/checkpoints', '/log/tile/0/000']) {
        const answer = await service.call('GET', path);
        expect(codeOf(answer)).toEqual([503, 'log-inconsistent']);
        expect(answer.headers.get('retry-after')).toBeNull();
      }
    },
    2 * PATIENCE_MS,
  );
});

describe('two nodes over one log', () => {
  let nodes: readonly [SpawnedService, SpawnedService];

  afterAll(async () => {
    await nodes[1].stop();
    await nodes[0].dispose();
  });

  it(
    'publish one history, whichever of them signs and however it ends',
    async () => {
      nodes = await spawnTwoNodes({
        folder: await mkdtemp(join(tmpdir(), 'countersign-log-')),
        env: ENV,
      });
      const [steady, killed] = nodes;
      const seen: Checkpoint[] = [];
      for (let round = 0; round < 3; round++) {
        await addEvents(killed, 4);
        await new Promise((resolve) => setTimeout(resolve, Math.random() * 1_500));
        await killed.kill();
        await addEvents(steady, 1);
        await killed.start();
        seen.push(await checkpointOf(steady, (round + 1) * 5));
      }
      const last = seen.at(-1);
      if (last === undefined) throw new Error('nothing was seen');
      for (const node of nodes) {
        await checkpointOf(node, last.size);
        for (const { size: first, rootHash: firstRoot } of seen) {
          const sizes = `from=${String(first)}&to=${String(last.size)}`;
          const proof = hashes(await node.call('GET', `/v1/log/proofs/consistency?${sizes}`));
          const roots = { firstRoot, secondRoot: last.rootHash };
          expect(verifyConsistency({ first, second: last.size, ...roots, proof })).toBe(true);
        }
      }
      const { body } = await steady.call('GET', '/v1/log/checkpoints?limit=500');
      const all = body['checkpoints'] as readonly { readonly size: number }[];
      expect(new Set(all.map(({ size }) => size)).size).toBe(all.length);
    },
    4 * PATIENCE_MS,
  );
});
