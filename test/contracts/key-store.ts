import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { DataKey, KeyStore } from '../../src/event-store/key-store.js';
import { EventStoreUnavailable } from '../../src/event-store/port.js';
import type { KeeperTask } from './children/keeper.js';
import type { KeysFactory, TestKeys } from './key-store/fixture.js';
import { Child } from './support/child.js';
import { effort, PROCESS_TEST_TIMEOUT } from './support/effort.js';
import { freshStream } from './support/envelopes.js';

/** Every guarantee of the key store port, for any adapter. */
export function describeKeyStore(name: string, makeKeys: KeysFactory): void {
  describe(`the key store port on ${name}`, () => {
    let keys: TestKeys;
    let store: KeyStore;

    beforeEach(async () => {
      keys = await makeKeys();
      store = await keys.open();
    });

    afterEach(async () => {
      await Child.killAll();
      await keys.dispose();
    });

    function startKeeper(task: Omit<KeeperTask, 'keys'>): Child {
      return new Child('keeper.ts', { keys: keys.elsewhere, ...task } satisfies KeeperTask);
    }

    describe('a key', () => {
      it('has 32 bytes, is the same at every call and belongs to one scope', async () => {
        const [a, b] = [freshStream(), freshStream()];
        const first = await store.obtain(a);
        expect(first).toHaveLength(32);
        expect(hex(await store.obtain(a))).toBe(hex(first));
        expect(hex(await store.find(a))).toBe(hex(first));
        expect(hex(await store.obtain(b))).not.toBe(hex(first));
      });

      it('is not made by looking for it', async () => {
        const scope = freshStream();
        expect(await store.find(scope)).toBeUndefined();
        expect(await store.find(scope)).toBeUndefined();
        const made = await store.obtain(scope);
        expect(hex(await store.find(scope))).toBe(hex(made));
      });

      it.each(['constructor', '__proto__', '', 'agent-did:web:x.example', 'a/b', 'ä🦊'])(
        'may be that of the scope %j',
        async (scope) => {
          expect(await store.find(scope)).toBeUndefined();
          const made = await store.obtain(scope);
          expect(hex(await store.find(scope))).toBe(hex(made));
        },
      );

      it('is one, however many ask for it at once', async () => {
        const scope = freshStream();
        const others = await Promise.all([keys.open(), keys.open()]);
        const stores = [store, ...others];
        const got = await Promise.all(
          Array.from({ length: effort(150, 1_500) }, (_, n) =>
            (stores[n % stores.length] ?? store).obtain(scope),
          ),
        );
        expect(new Set(got.map(hex)).size).toBe(1);
      });

      it('is one of its own for each of many scopes that are asked for at once', async () => {
        const scopes = Array.from({ length: 300 }, () => freshStream());
        const got = await Promise.all(scopes.map((scope) => store.obtain(scope)));
        expect(new Set(got.map(hex)).size).toBe(300);
        const again = await keys.open();
        for (const [index, scope] of scopes.entries()) {
          expect(hex(await again.find(scope))).toBe(hex(got[index]));
        }
      });

      it('is found among many in one look, as it is found alone', async () => {
        const scopes = [freshStream(), '', '__proto__', "a'b", 'ä🦊', freshStream(), freshStream()];
        const [alive, destroyed] = [scopes.slice(0, 5), scopes[5] ?? ''];
        for (const scope of alive) await store.obtain(scope);
        await store.obtain(destroyed);
        await store.destroy(destroyed);
        const found = await store.findAll([...scopes, ...scopes]);
        expect(found.size).toBe(6);
        for (const scope of alive) {
          expect(hex(found.get(scope))).toBe(hex(await store.find(scope)));
        }
        expect(found.get(destroyed)).toBe('erased');
        expect(await store.findAll([])).toEqual(new Map());
      });

      it('is found as destroyed by another process, in a look at many too', async () => {
        const scope = freshStream();
        const made = await store.obtain(scope);
        expect(hex((await store.findAll([scope])).get(scope))).toBe(hex(made));
        const other = await keys.open();
        await other.destroy(scope);
        expect((await store.findAll([scope])).get(scope)).toBe('erased');
      });

      it('is there after the store was closed and opened again', async () => {
        const scope = freshStream();
        const made = await store.obtain(scope);
        await store.close();
        expect(hex(await (await keys.open()).obtain(scope))).toBe(hex(made));
      });
    });

    describe('a destroyed key', () => {
      it('is erased for ever: found as such, and never made again', async () => {
        const scope = freshStream();
        await store.obtain(scope);
        await store.destroy(scope);
        await store.destroy(scope);
        for (const each of [store, await keys.open()]) {
          expect(await each.find(scope)).toBe('erased');
          expect(await each.obtain(scope)).toBe('erased');
        }
        await store.close();
        expect(await (await keys.open()).obtain(scope)).toBe('erased');
      });

      it('may be one that never was', async () => {
        const scope = freshStream();
        await store.destroy(scope);
        expect(await store.find(scope)).toBe('erased');
        expect(await store.obtain(scope)).toBe('erased');
      });

      it('is erased at once for instances that have just used it', async () => {
        const scope = freshStream();
        const other = await keys.open();
        const made = await store.obtain(scope);
        expect(hex(await other.find(scope))).toBe(hex(made));
        expect(hex(await store.find(scope))).toBe(hex(made));
        await other.destroy(scope);
        expect(await store.find(scope)).toBe('erased');
        expect(await other.find(scope)).toBe('erased');
        expect(await store.obtain(scope)).toBe('erased');
      });

      it('takes no other key with it', async () => {
        const scopes = Array.from({ length: 60 }, () => freshStream());
        const made = await Promise.all(scopes.map((scope) => store.obtain(scope)));
        await Promise.all(
          scopes.filter((_, n) => n % 3 === 0).map((scope) => store.destroy(scope)),
        );
        for (const [n, scope] of scopes.entries()) {
          expect(hex(await store.find(scope))).toBe(n % 3 === 0 ? 'erased' : hex(made[n]));
        }
      });

      it('stays one key or none when it is destroyed and obtained at once', async () => {
        const scope = freshStream();
        const outcomes = await Promise.all([
          store.obtain(scope),
          store.destroy(scope),
          store.obtain(scope),
        ]);
        expect(outcomes[2]).toBe('erased');
        expect(await store.find(scope)).toBe('erased');
      });
    });

    describe('several processes', () => {
      it(
        'get the same keys',
        async () => {
          const scopes = Array.from({ length: effort(60, 600) }, () => freshStream());
          const children = [startKeeper({ scopes }), startKeeper({ scopes })];
          await Promise.all(children.map((child) => child.finished()));
          const lines = scopes.map(async (scope) => `${scope} ${hex(await store.obtain(scope))}`);
          const expected = await Promise.all(lines);
          for (const child of children) expect(child.lines).toEqual(expected);
        },
        PROCESS_TEST_TIMEOUT,
      );

      it(
        'survive kill -9: a key that was handed out is there',
        async () => {
          for (let kill = 0; kill < effort(2, 30); kill++) {
            const child = startKeeper({});
            await child.wrote(3);
            await delay(Math.random() * 40);
            await child.kill();
            const survivor = await keys.open();
            for (const line of child.lines) {
              const [scope = ''] = line.split(' ');
              expect(`${scope} ${hex(await survivor.find(scope))}`).toBe(line);
            }
            await survivor.close();
          }
        },
        PROCESS_TEST_TIMEOUT,
      );
    });

    it('has the engine flush each key before it is handed out', async () => {
      expect(await keys.unsafeSettings()).toEqual([]);
    });

    it('answers a call under way when it is closed, or says that it is unavailable', async () => {
      const scope = freshStream();
      const [obtained] = await Promise.allSettled([store.obtain(scope), store.close()]);
      if (obtained.status === 'rejected') {
        expect(obtained.reason).toBeInstanceOf(EventStoreUnavailable);
      } else {
        expect(hex(await (await keys.open()).find(scope))).toBe(hex(obtained.value));
      }
    });

    it('fails every call once it is closed', async () => {
      await store.close();
      await store.close();
      for (const call of [store.obtain('a'), store.find('a'), store.destroy('a')]) {
        await expect(call).rejects.toThrow(EventStoreUnavailable);
      }
    });
  });
}

function hex(key: DataKey | 'erased' | undefined): string {
  if (key === undefined) return 'none';
  return key === 'erased' ? key : Buffer.from(key).toString('hex');
}
