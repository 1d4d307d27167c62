import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { CARD_EVENT_TYPES } from '../../src/capabilities/card-event-types.js';
import { CAPABILITY_EVENT_TYPES } from '../../src/capabilities/event-types.js';
import { capabilityDirectory } from '../../src/capabilities/projection.js';
import { capabilityStream } from '../../src/capabilities/domain/stream.js';
import { ProjectionRunner } from '../../src/projections/projection-runner.js';
import { SqliteReadDatabase } from '../../src/projections/sqlite/sqlite-read-database.js';
import { capability, FINANCE } from './support/capabilities.js';
import { CapabilityNode } from './support/capability-node.js';
import { become, opt, register, revise, SKILL } from './support/given-when-then.js';

let node: CapabilityNode;
let closers: (() => Promise<void>)[];

beforeEach(async () => {
  node = await CapabilityNode.open();
  closers = [];
  await node.performAll(
    register({ state: 'preview' }),
    { kind: 'register', manifest: capability('another').manifest },
    opt('opt-in'),
    become('ga', 1, { reason: 'it is ready' }),
    revise({ owner: 'others' }, 2),
    become('deprecated', 3, { reason: 'it is old' }),
  );
});

afterEach(async () => {
  for (const close of closers) await close();
  await node.dispose();
});

/** The view as a node builds it that starts now. */
async function built(name: string = randomUUID(), version = 1): Promise<ProjectionRunner> {
  const database = new SqliteReadDatabase(join(node.folder, name));
  const runner = new ProjectionRunner({
    store: node.store,
    keys: node.keys,
    types: { ...CAPABILITY_EVENT_TYPES, ...CARD_EVENT_TYPES },
    database,
    projections: [{ ...capabilityDirectory, version }],
    clock: node.clock,
    report: (line) => {
      throw new Error(line);
    },
  });
  runner.start();
  const close = async (): Promise<void> => {
    closers = closers.filter((each) => each !== close);
    await runner.stop();
    database.close();
  };
  closers.push(close);
  expect(await runner.waitFor(await node.store.head(), 5000)).toBe(true);
  return runner;
}

type Row = Readonly<Record<string, unknown>>;

const rows = (runner: ProjectionRunner): readonly Row[] =>
  runner.prepare<Row>('SELECT * FROM capability_directory ORDER BY registered').all();
const agents = (runner: ProjectionRunner): readonly Row[] =>
  runner.prepare<Row>('SELECT * FROM capability_directory_agents').all();

describe('the capability directory', () => {
  it('has a row per capability with what can be asked of it, and numbers the changes', async () => {
    expect(rows(await built())).toMatchObject([
      {
        agent_id: FINANCE,
        skill_id: SKILL,
        change: 6,
        state: 'deprecated',
        visibility: 'extended',
        owner: 'others',
      },
      { skill_id: 'another', change: 2, state: 'ga', visibility: 'public', owner: 'owner-team' },
    ]);
  });

  it('is the same when it is built later, with the reasons erased', async () => {
    const early = rows(await built());
    await node.keys.destroy(capabilityStream(FINANCE, SKILL));
    expect(rows(await built())).toEqual(early);
  });

  it('keeps no reason', async () => {
    expect(JSON.stringify(rows(await built()))).not.toMatch(/it is ready|it is old/);
  });

  it('tells one building of its tables from another', async () => {
    const [first] = agents(await built('read.db'));
    await closers.at(-1)!();
    const [again] = agents(await built('read.db'));
    expect(again).toEqual(first);
    await closers.at(-1)!();
    const [rebuilt] = agents(await built('read.db', 2));
    expect(rebuilt).toMatchObject({ agent_id: FINANCE, change: 6 });
    expect(rebuilt?.['epoch']).not.toBe(first?.['epoch']);
  });
});
