/** Obtains the key of one scope after the other and says each: `scope key-in-hex`. */
import type { KeyStore } from '../../../src/event-store/key-store.js';
import type { Elsewhere } from '../support/child.js';
import { freshStream } from '../support/envelopes.js';
import { argument, endWithParent, say } from './child-life.js';

export interface KeeperTask {
  readonly keys: Elsewhere;
  /** Without them it makes up new ones until it is killed. */
  readonly scopes?: readonly string[];
}

const { keys, scopes } = argument<KeeperTask>();
endWithParent();
const { open } = (await import(keys.module)) as { open(address: string): Promise<KeyStore> };
const store = await open(keys.address);

async function obtain(scope: string): Promise<void> {
  const key = await store.obtain(scope);
  say(`${scope} ${key === 'erased' ? key : Buffer.from(key).toString('hex')}`);
}

if (scopes === undefined) for (;;) await obtain(freshStream());
for (const scope of scopes) await obtain(scope);
await store.close();
