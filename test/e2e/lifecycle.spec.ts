import { once } from 'node:events';
import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { rawRequest, sendRaw } from '../support/raw-http.js';
import { runMain, spawnTestService, type Answer, type SpawnedService } from '../support/service.js';

/** Processes of their own start slowly where many tests run at once. */
const TIMEOUT_MS = 60_000;

describe('a process of the service', () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'countersign-test-'));
  });

  afterEach(async () => {
    await rm(folder, { recursive: true, force: true });
  });

  function development(): Record<string, string> {
    return {
      COUNTERSIGN_DEV: '1',
      DATA_FOLDER: folder,
      PORT: '0',
      PUBLIC_BASE_URL: 'https://countersign.example',
    };
  }

  it(
    'does not start unconfigured, and says everything that is missing',
    async () => {
      const { exitCode, output, errors } = await runMain({});
      expect([exitCode, output]).toEqual([1, '']);
      expect(errors.split('\n')).toEqual([
        'countersign does not start:',
        '  - PUBLIC_BASE_URL is required unless COUNTERSIGN_DEV=1',
        '  - OIDC_ISSUER is required unless COUNTERSIGN_DEV=1',
        '  - OIDC_AUDIENCE is required unless COUNTERSIGN_DEV=1',
        '  - PLATFORM_KEYS is required unless COUNTERSIGN_DEV=1',
        '',
      ]);
    },
    TIMEOUT_MS,
  );

  it(
    'does not start with what it must not use, and says which',
    async () => {
      const open = join(folder, 'open.jwks.json');
      await writeFile(open, '{"keys":[]}');
      await chmod(open, 0o644);
      const empty = join(folder, 'empty.jwks.json');
      await writeFile(empty, '{"keys":[]}', { mode: 0o600 });
      const foreign = join(folder, 'foreign.db');
      await writeFile(foreign, 'this is no database at all, whatever its name says');
      const busy = createServer().listen(0, '127.0.0.1');
      await once(busy, 'listening');
      const port = String((busy.address() as AddressInfo).port);
      const cases: [Record<string, string>, RegExp][] = [
        [{ HOST: '0.0.0.0' }, /HOST must be a loopback address/],
        [{ PLATFORM_KEYS: open }, /open\.jwks\.json must be accessible to its owner only/],
        [{ PLATFORM_KEYS: empty }, /a key with the purpose attestation is required/],
        [{ PLATFORM_KEYS: join(folder, 'none') }, /none: does not exist/],
        [{ EVENT_STORE: `sqlite:${foreign}` }, /foreign\.db/],
        [{ PORT: port }, /EADDRINUSE.*: choose another PORT$/m],
      ];
      const runs = cases.map(async ([env, reason]) => {
        const { exitCode, output, errors } = await runMain({ ...development(), ...env });
        expect([env, exitCode, output]).toEqual([env, 1, '']);
        expect(errors).toMatch(reason);
        expect(errors).not.toMatch(/^\s+at /m);
      });
      await Promise.all(runs).finally(() => busy.close());
    },
    TIMEOUT_MS,
  );

  it(
    'belongs to the public base URL of the first checkpoint that it signs, and to none of a failed start',
    async () => {
      const at = (url: string): Record<string, string> => ({ PUBLIC_BASE_URL: `https://${url}` });
      const busy = createServer().listen(0, '127.0.0.1');
      await once(busy, 'listening');
      const PORT = String((busy.address() as AddressInfo).port);
      const failed = await runMain({ ...development(), ...at('first.example'), PORT });
      busy.close();
      expect([failed.exitCode, failed.output]).toEqual([1, '']);

      const service = await spawnTestService({ folder, env: at('second.example') });
      const published = () => service.call('GET', '/log/checkpoint');
      let checkpoint = await published();
      while (checkpoint.status !== 200) {
        expect(['beyond-checkpoint', 'checkpoint-behind']).toContain(checkpoint.body['code']);
        await sleep(50);
        checkpoint = await published();
      }
      expect(checkpoint.text).toMatch(/^second\.example\/log\n/);
      expect((await service.call('GET', '/health/ready')).status).toBe(200);
      await service.stop();

      const moved = await runMain({ ...development(), ...at('third.example') });
      expect([moved.exitCode, moved.output]).toEqual([1, '']);
      expect(moved.errors).toMatch(
        /log-checkpoint: .* second\.example\/log, .* third\.example\/log: set PUBLIC_BASE_URL/,
      );
    },
    TIMEOUT_MS,
  );

  it(
    'keeps its secrets to its owner',
    async () => {
      const service = await spawnTestService({ folder });
      await service.stop();
      for (const file of [
        'dev-issuer.jwk.json',
        'platform-keys.jwks.json',
        'events.db',
        'keys.db',
        'read.db',
        'read.db.lock',
      ]) {
        const { mode } = await stat(join(folder, file));
        expect([file, (mode & 0o777).toString(8)]).toEqual([file, '600']);
      }
      expect(await readFile(join(folder, 'events.db'), 'latin1')).not.toContain('"d":"');
    },
    TIMEOUT_MS,
  );

  it(
    'answers what is under way before it ends',
    async () => {
      const service = await spawnTestService({ folder, env: { READ_WAIT_MS: '1500' } });
      const lines = [
        `authorization: Bearer ${await service.token()}`,
        'position-token: 09999999999999999999',
      ];
      const { url } = service;
      const waiting = sendRaw(url, rawRequest('GET', '/v1/agents', lines));
      // The request has been read when a later one on another connection is answered.
      await service.call('GET', '/health/live');
      await service.stop();
      expect(JSON.parse((await waiting).body)).toMatchObject({ code: 'projection-behind' });
      expect([service.exitCode, service.errors]).toEqual([0, '']);
      await expect(fetch(`${url}/health/live`)).rejects.toThrow();
    },
    TIMEOUT_MS,
  );

  it(
    'takes over from another process without both feeding one read database',
    async () => {
      const old = await spawnTestService({ folder });
      const token = await old.token();
      const register = (service: SpawnedService, agentId: string): Promise<Answer> =>
        service.call('POST', '/v1/agents', { token, body: { agentId, hosted: true } });
      await register(old, 'first');
      const successor = spawnTestService({ folder });
      let hasStarted = false;
      void successor.then(() => (hasStarted = true));
      for (let i = 0; i < 20; i++) await register(old, `meanwhile-${String(i)}`);
      expect(hasStarted).toBe(false);
      await old.stop();
      const next = await successor;
      const last = await register(next, 'last');
      const { body } = await next.call('GET', '/v1/agents?limit=100', {
        token,
        headers: { 'position-token': last.headers.get('position-token') ?? '' },
      });
      const items = body['items'] as readonly { readonly reliable: boolean }[];
      expect(items).toHaveLength(22);
      expect(items.every(({ reliable }) => reliable)).toBe(true);
      await next.stop();
    },
    TIMEOUT_MS,
  );

  it(
    'keeps every acknowledged write through kill -9, and its identity',
    async () => {
      const service = await spawnTestService({ folder });
      const token = await service.token();
      const keys = (await service.call('GET', '/v1/platform-keys')).body;
      const acknowledged: string[] = [];
      const writer = (async () => {
        for (let i = 0; ; i++) {
          const agentId = `agent-${String(i)}`;
          const answer = await service.call('POST', '/v1/agents', {
            token,
            body: { agentId, hosted: true },
          });
          if (answer.status !== 201) throw new Error(answer.text);
          acknowledged.push(agentId);
        }
      })();
      writer.catch(() => undefined);
      while (acknowledged.length < 20) await service.call('GET', '/health/live');
      await service.kill();
      await writer.catch(() => undefined);
      await service.start();
      expect((await service.call('GET', '/v1/platform-keys')).body).toEqual(keys);
      for (const agentId of acknowledged) {
        const { status } = await service.call('GET', `/v1/agents/${agentId}`, { token });
        expect([agentId, status]).toEqual([agentId, 200]);
      }
      await service.stop();
    },
    TIMEOUT_MS,
  );
});
