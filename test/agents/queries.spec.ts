import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { AgentAt } from '../../src/agents/queries/agent-at.js';
import { AgentAtHandler } from '../../src/agents/queries/agent-at-handler.js';
import { AgentBefore } from '../../src/agents/queries/agent-before.js';
import { AgentBeforeHandler } from '../../src/agents/queries/agent-before-handler.js';
import { AgentHeads } from '../../src/agents/queries/agent-heads.js';
import { AgentHeadsHandler } from '../../src/agents/queries/agent-heads-handler.js';
import { agentStream } from '../../src/agents/domain/stream.js';
import { START, type Position } from '../../src/event-store/port.js';
import type { AgentId } from '../../src/kernel/ids.js';
import { AgentStore } from './support/agent-store.js';
import { ALPHA, at, change, register } from './support/agents.js';

const BETA = 'agent-beta' as AgentId;
const policy = { taskCategories: ['t'], allowedActions: ['a'], maxRetentionDays: 1 };

let log: AgentStore;

beforeEach(async () => {
  log = await AgentStore.make();
  await log.perform(register());
  await log.perform(register({ agentId: BETA }));
  log.second = 10;
  await log.perform(change({ kind: 'change-policy', policy }, 0));
  log.second = 20;
  await log.perform(change({ kind: 'change-policy', policy: null }, 1));
});

afterEach(async () => {
  await log.close();
});

describe('the heads of agents', () => {
  const heads = (...ids: readonly string[]): ReturnType<AgentHeadsHandler['execute']> =>
    new AgentHeadsHandler(log.agents).execute(new AgentHeads(ids as AgentId[]));

  it('are as the streams are now, by id; unknown ones are absent', async () => {
    const found = await heads(ALPHA, BETA, BETA, 'nobody', 'constructor');
    expect(Array.from(found, ([id, agent]) => [id, agent.agentId, agent.revision])).toEqual([
      [ALPHA, ALPHA, 2],
      [BETA, BETA, 0],
    ]);
    await log.perform(change({ kind: 'retire', reason: 'over' }, 2));
    expect((await heads(ALPHA)).get(ALPHA)).toMatchObject({ revision: 3, retiredAt: at(20) });
  });

  it('of nobody are none', async () => {
    expect((await heads()).size).toBe(0);
  });
});

describe('an agent at a moment', () => {
  it.each([
    [-1, undefined],
    [0, 0],
    [9.999, 0],
    [10, 1],
    [19.999, 1],
    [20, 2],
    [1000, 2],
  ])('second %d is at revision %s', async (second, revision) => {
    const agent = await new AgentAtHandler(log.agents).execute(new AgentAt(ALPHA, at(second)));
    expect(agent?.revision).toBe(revision);
    expect(agent?.policy ?? null).toEqual(revision === 1 ? { rules: policy, revision: 1 } : null);
  });

  it('is nobody when it was never registered', async () => {
    const query = new AgentAt('toString' as AgentId, at(50));
    expect(await new AgentAtHandler(log.agents).execute(query)).toBeUndefined();
  });
});

describe('an agent before an event', () => {
  it('is as the log held it up to there', async () => {
    const events = await log.store.readStream(agentStream(ALPHA));
    const before = async (position: Position) =>
      (await new AgentBeforeHandler(log.agents).execute(new AgentBefore(ALPHA, position)))
        ?.revision;
    const found = await Promise.all(events.map(async ({ position }) => before(position)));
    expect(found).toEqual([undefined, 0, 1]);
    expect(await before(await log.store.head())).toBe(1);
    expect(await before('9'.repeat(20) as Position)).toBe(2);
    expect(await before(START)).toBeUndefined();
  });
});
