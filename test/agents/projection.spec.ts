import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { AgentCommand } from '../../src/agents/domain/commands.js';
import { agentStream } from '../../src/agents/domain/stream.js';
import { AGENT_EVENT_TYPES } from '../../src/agents/event-types.js';
import { agentDirectory } from '../../src/agents/projection.js';
import { readStoredAgent, storeAgent } from '../../src/agents/stored-agent.js';
import { START, type Position } from '../../src/event-store/port.js';
import type { AgentId } from '../../src/kernel/ids.js';
import { ProjectionRunner } from '../../src/projections/projection-runner.js';
import { SqliteReadDatabase } from '../../src/projections/sqlite/sqlite-read-database.js';
import { AgentStore } from './support/agent-store.js';
import {
  ALPHA,
  agentAfter,
  at,
  change,
  ownerAdmin,
  register,
  submission,
  testKey,
} from './support/agents.js';

const k1 = testKey('k1', 1);
const k2 = testKey('k2', 2);

const life: readonly AgentCommand[] = [
  register({ keys: [submission(k1)] }),
  change({ kind: 'add-key', key: submission(k2), replaces: k1.keyId }, 0),
  change(
    {
      kind: 'change-policy',
      policy: { taskCategories: ['t'], allowedActions: ['a'], maxRetentionDays: 1 },
    },
    1,
  ),
  change({ kind: 'change-clients', clients: ['other'] }, 2),
  change({ kind: 'change-transport', transport: { hosted: true } }, 3),
  change({ kind: 'change-methods', methods: ['oauth_account'] }, 4),
  change({ kind: 'revoke-key', keyId: k2.keyId, reason: 'lost' }, 5),
  change({ kind: 'retire', reason: 'over' }, 6),
];

interface Row {
  readonly agent_id: string;
  readonly tenant: string;
  readonly owner: string;
  readonly hosted: number;
  readonly retired: number;
  readonly agent: string;
}

describe('the agent directory', () => {
  let log: AgentStore;
  let runners: (() => Promise<void>)[];

  beforeEach(async () => {
    log = await AgentStore.make();
    runners = [];
  });

  afterEach(async () => {
    for (const stop of runners) await stop();
    await log.close();
  });

  function run(name: string): ProjectionRunner {
    const database = new SqliteReadDatabase(join(log.folder, name));
    const runner = new ProjectionRunner({
      store: log.store,
      keys: log.keys,
      types: AGENT_EVENT_TYPES,
      database,
      projections: [agentDirectory],
      clock: () => Date.parse(at(0)),
      report: (line) => {
        throw new Error(line);
      },
    });
    runners.push(async () => {
      await runner.stop();
      database.close();
    });
    runner.start();
    return runner;
  }

  async function rows(runner: ProjectionRunner, position: Position): Promise<readonly Row[]> {
    expect(await runner.waitFor(position, 5000, [agentDirectory.name])).toBe(true);
    return runner.prepare<Row>('SELECT * FROM agent_directory ORDER BY agent_id').all();
  }

  it('holds after every event what the stream folds to', async () => {
    const runner = run('read.db');
    for (const command of life) {
      const position = await log.perform(command);
      const [row] = await rows(runner, position);
      const { state } = await log.agents.repository.load(agentStream(ALPHA));
      expect(row && readStoredAgent(row.agent)).toEqual(state);
      expect(row).toMatchObject({
        agent_id: ALPHA,
        tenant: state?.tenant,
        owner: state?.owner,
        hosted: state?.transport.managedBy === 'openclasp' ? 1 : 0,
        retired: state?.retiredAt === null ? 0 : 1,
      });
    }
  });

  it('is the same when it is built later, with the texts erased, but for the rules of policies', async () => {
    for (const agentId of [ALPHA, 'constructor' as AgentId, 'toString' as AgentId]) {
      await log.perform(register({ agentId }));
    }
    for (const command of life.slice(2)) {
      // Without a key in this life, and written against whatever revision there is.
      if (command.kind === 'register' || command.kind === 'revoke-key') continue;
      const { state } = await log.agents.repository.load(agentStream(ALPHA));
      await log.perform({ ...command, expectedRevision: state?.revision ?? -1 });
    }
    const position = await log.store.head();
    const early = await rows(run('early.db'), position);
    await log.keys.destroy(agentStream(ALPHA));
    const late = await rows(run('late.db'), position);
    expect(readStoredAgent(early[0]!.agent).policy?.revision).toBe(1);
    const withoutPolicy = { ...readStoredAgent(early[0]!.agent), policy: null };
    expect(late).toEqual([{ ...early[0], agent: storeAgent(withoutPolicy) }, ...early.slice(1)]);
    expect(early.map((row) => row.agent_id)).toEqual([ALPHA, 'constructor', 'toString']);
    expect(early[0]?.retired).toBe(1);
  });

  it('keeps no text of any reason', async () => {
    for (const command of life) await log.perform(command);
    const [row] = await rows(run('read.db'), START);
    expect(JSON.stringify(row)).not.toMatch(/lost|over/);
  });

  it('stores an agent as a text that reads back as the same agent', () => {
    const agent = agentAfter(
      { command: register({ keys: [submission(k1), submission(testKey('constructor', 3))] }) },
      { command: change({ kind: 'retire', reason: undefined }, 0), by: ownerAdmin },
    );
    expect(readStoredAgent(storeAgent(agent))).toEqual(agent);
  });
});
