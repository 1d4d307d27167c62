import { describe, expect, it } from '@jest/globals';
import type { Config } from '../../src/config/config.js';
import type { ConfigFault, Environment } from '../../src/config/environment.js';
import { readConfig } from '../../src/config/read-config.js';
import { placeOf } from '../../src/config/store-location.js';

const PRODUCTION = {
  OIDC_ISSUER: 'https://issuer.example',
  OIDC_AUDIENCE: 'https://countersign.example',
  PUBLIC_BASE_URL: 'https://countersign.example',
  PLATFORM_KEYS: '/etc/countersign/platform-keys.jwks.json',
};
const POSTGRES = 'postgres://cs:hunter2@db.example:5433/cs?sslmode=verify-full';
const KEYS = 'postgresql://keys:hunter2@keys.example/keys?sslmode=verify-full';
const CLUSTER = 'esdb://admin:hunter2@a.example:2113,b.example:2113,c.example?tls=true';

function faults(environment: Environment): readonly ConfigFault[] {
  const read = readConfig({ ...PRODUCTION, ...environment }, 'host');
  return read.ok ? [] : read.error;
}

function variables(environment: Environment): readonly string[] {
  return faults(environment).map(({ variable }) => variable);
}

/** Where log, keys and tasks are. */
function stores(environment: Environment): readonly unknown[] {
  const read = readConfig({ ...PRODUCTION, ...environment }, 'host');
  if (!read.ok) throw new Error(JSON.stringify(read.error));
  const { eventStore, keyStore, a2a } = read.value satisfies Config;
  return [eventStore, keyStore, a2a.taskStore];
}

const file = (path: string) => ({ engine: 'sqlite', path });
const postgres = (url: string) => ({ engine: 'postgres', url });
const cluster = (connectionString: string) => ({ engine: 'eventstoredb', connectionString });

describe('where the stores are', () => {
  it('is in files when nothing is said', () => {
    expect(stores({})).toEqual([
      file('data/events.db'),
      file('data/keys.db'),
      file('data/tasks.db'),
    ]);
  });

  it('is in one PostgreSQL database when the log is there', () => {
    const one = postgres(POSTGRES);
    expect(stores({ EVENT_STORE: POSTGRES })).toEqual([one, one, one]);
  });

  it('can be named for each', () => {
    const [keys, tasks] = ['sqlite:/k.db', 'sqlite:/t.db'];
    expect(stores({ EVENT_STORE: POSTGRES, KEY_STORE: KEYS })).toEqual([
      postgres(POSTGRES),
      postgres(KEYS),
      postgres(POSTGRES),
    ]);
    expect(stores({ EVENT_STORE: POSTGRES, KEY_STORE: keys, TASK_STORE: tasks })).toEqual([
      postgres(POSTGRES),
      file('/k.db'),
      file('/t.db'),
    ]);
    expect(stores({ KEY_STORE: KEYS, TASK_STORE: POSTGRES })).toEqual([
      file('data/events.db'),
      postgres(KEYS),
      postgres(POSTGRES),
    ]);
  });

  it('must be said for the keys of a log in EventStoreDB; tasks go with them', () => {
    const [fault, ...others] = faults({ EVENT_STORE: CLUSTER });
    expect(others).toEqual([]);
    expect(fault?.variable).toBe('KEY_STORE');
    expect(fault?.detail).toMatch(/^is required when EVENT_STORE is an EventStoreDB: postgres:/);
    expect(stores({ EVENT_STORE: CLUSTER, KEY_STORE: KEYS })).toEqual([
      cluster(CLUSTER),
      postgres(KEYS),
      postgres(KEYS),
    ]);
    expect(stores({ EVENT_STORE: CLUSTER, KEY_STORE: 'sqlite:/k.db' })).toEqual([
      cluster(CLUSTER),
      file('/k.db'),
      file('data/tasks.db'),
    ]);
  });

  it.each(['esdb://', 'kurrentdb+discover://a b', 'esdb:x'])(
    'must be said also beside %s, which is told with it',
    (text) => {
      expect(variables({ EVENT_STORE: text })).toEqual(['EVENT_STORE', 'KEY_STORE']);
      expect(variables({ EVENT_STORE: text, KEY_STORE: KEYS })).toEqual(['EVENT_STORE']);
    },
  );

  it.each([
    'esdb://db.example',
    'esdb+discover://u:p@db.example:2113',
    'kurrentdb://10.0.0.1:2113/?tls=false',
    'kurrentdb+discover://db.example',
  ])('takes %s for a log', (text) => {
    const [log] = stores({ EVENT_STORE: text, KEY_STORE: KEYS });
    expect(log).toEqual(cluster(text));
  });

  it.each([
    'postgres://127.0.0.1/db',
    'postgres://cs@localhost:5432/db',
    'postgresql://cs:pw@[::1]/db',
    'postgres:///db?host=/run/postgresql',
    'postgres://db.example/db?sslmode=disable',
    'postgres://db.example/db?sslmode=no-verify',
  ])('takes %s', (text) => {
    expect(stores({ EVENT_STORE: text })[0]).toEqual(postgres(text));
  });
});

describe('a store', () => {
  it.each(['KEY_STORE', 'TASK_STORE'])('of what is deleted is not an EventStoreDB: %s', (name) => {
    for (const text of ['esdb://h', 'esdb+discover://h', 'kurrentdb://h']) {
      const [fault, ...others] = faults({ [name]: text });
      expect(others).toEqual([]);
      const detail = 'must be sqlite:<path of a file> or postgres://<user>@<host>/<database>';
      expect(fault).toEqual({ variable: name, detail });
    }
  });

  it.each(['READ_MODEL', 'TASK_READ_MODEL'])('of views is a file of the node: %s', (variable) => {
    for (const text of ['esdb://h', POSTGRES, 'data/x.db', 'sqlite:']) {
      expect(faults({ [variable]: text })).toEqual([
        { variable, detail: 'must be sqlite:<path of a file>' },
      ]);
    }
  });

  it.each(['sqlite:', 'sqlite::memory:', 'sqlite://host/x', 'events.db', 'file:events.db', ':x'])(
    'is not %s, which is no file of its own',
    (text) => {
      expect(variables({ EVENT_STORE: text })).toEqual(['EVENT_STORE']);
    },
  );

  it.each([
    'postgres:',
    'postgres://',
    'postgres://db.example',
    'postgres://db.example/',
    'postgres://db example/db',
    'postgres://127.0.0.1/db?sslmode=maybe',
    'postgres://127.0.0.1:99999/db',
    'POSTGRES://127.0.0.1/db',
    'mysql://127.0.0.1/db',
  ])('is not %s', (text) => {
    expect(variables({ EVENT_STORE: text })).toEqual(['EVENT_STORE']);
    expect(variables({ KEY_STORE: text })).toEqual(['KEY_STORE']);
  });

  it.each(['postgres://db.example/db', 'postgres://10.0.0.1/db?sslmode=prefer'])(
    'behind a network says how its connection is secured: %s',
    (text) => {
      const [fault, ...others] = faults({ EVENT_STORE: text });
      expect(others).toEqual([]);
      expect(fault?.detail).toMatch(/^must say sslmode=verify-full/);
    },
  );

  it.each(['esdb:', 'esdb://', 'esdb://a b', 'esdb://user@host', 'esdb://h:x', 'esdb://h,,h'])(
    'is not %s',
    (text) => {
      expect(variables({ EVENT_STORE: text, KEY_STORE: KEYS })).toEqual(['EVENT_STORE']);
    },
  );

  it('is never told with its password', () => {
    const wrong = {
      EVENT_STORE: 'postgres://u:hunter2@h/db',
      KEY_STORE: 'esdb://u:hunter2@h',
      TASK_STORE: 'postgres://u:hunter2@/db',
      READ_MODEL: POSTGRES,
    };
    expect([...variables(wrong)].sort()).toEqual([
      'EVENT_STORE',
      'KEY_STORE',
      'READ_MODEL',
      'TASK_STORE',
    ]);
    expect(JSON.stringify(faults(wrong))).not.toContain('hunter2');
    expect(placeOf({ engine: 'postgres', url: POSTGRES })).toBe('postgres://db.example:5433/cs');
    const query = 'postgres:///db?host=/run/pg&user=u&password=hunter2';
    expect(placeOf({ engine: 'postgres', url: query })).toBe('postgres:///run/pg/db');
    expect(placeOf({ engine: 'eventstoredb', connectionString: CLUSTER })).toBe(
      'esdb://a.example:2113,b.example:2113,c.example',
    );
    expect(placeOf({ engine: 'sqlite', path: 'x.db' })).toBe('sqlite:x.db');
  });

  it.each([
    [{ KEY_STORE: 'sqlite:data/events.db' }, 'KEY_STORE'],
    [{ READ_MODEL: 'sqlite:./data/../data/keys.db' }, 'READ_MODEL'],
    [{ TASK_STORE: 'sqlite:data/events.db' }, 'TASK_STORE'],
    [{ TASK_READ_MODEL: 'sqlite:data/tasks.db' }, 'TASK_READ_MODEL'],
    [{ EVENT_STORE: 'sqlite:data/read.db' }, 'READ_MODEL'],
    [{ EVENT_STORE: POSTGRES, KEY_STORE: 'sqlite:data/read.db' }, 'READ_MODEL'],
  ])('is alone in its file: %j', (environment, variable) => {
    expect(variables(environment)).toEqual([variable]);
  });
});
