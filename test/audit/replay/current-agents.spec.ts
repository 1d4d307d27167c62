import { describe, expect, it } from '@jest/globals';
import type { Agent } from '../../../src/agents/domain/agent.js';
import { CurrentAgents, type AgentsNow } from '../../../src/audit/replay/current-agents.js';
import type { Position } from '../../../src/event-store/port.js';
import type { AgentId } from '../../../src/kernel/ids.js';

const ALPHA = 'agent-alpha' as AgentId;
const at = (position: number): Position => String(position).padStart(20, '0') as Position;

/** A log whose agent has as clients the head of the log, whenever it is asked for. */
class MovingLog {
  position = 7;
  now = 0;
  asked = 0;

  readonly agentsNow: AgentsNow = (agentIds) => {
    this.asked++;
    const clients = [at(this.position)];
    return Promise.resolve(
      new Map(Array.from(agentIds, (id) => [id, { agentId: id, clients } as unknown as Agent])),
    );
  };

  replay(): CurrentAgents {
    return new CurrentAgents(this.agentsNow, this, () => this.now);
  }

  head(): Promise<Position> {
    return Promise.resolve(at(this.position));
  }
}

async function clientsOf(agents: CurrentAgents, through?: Position): Promise<unknown> {
  return (await agents.of(new Set([ALPHA]), through)).get(ALPHA)?.clients;
}

describe('agents as a replay judges by them', () => {
  it('are never those of a replay that began before', async () => {
    const log = new MovingLog();
    await clientsOf(log.replay());
    log.position = 8;
    expect(await clientsOf(log.replay())).toEqual([at(8)]);
  });

  it('are asked for once for the events that were there then', async () => {
    const log = new MovingLog();
    const agents = log.replay();
    for (const position of [1, 3, 7])
      expect(await clientsOf(agents, at(position))).toEqual([at(7)]);
    expect(log.asked).toBe(1);
  });

  it('are asked for again by an event that came after', async () => {
    const log = new MovingLog();
    const agents = log.replay();
    await clientsOf(agents, at(7));
    log.position = 9;
    expect(await clientsOf(agents, at(8))).toEqual([at(9)]);
    expect(await clientsOf(agents, at(9))).toEqual([at(9)]);
    expect(log.asked).toBe(2);
  });

  it('are asked for again after a second, by whichever event', async () => {
    const log = new MovingLog();
    const agents = log.replay();
    await clientsOf(agents, at(1));
    log.position = 8;
    log.now = 999;
    expect(await clientsOf(agents, at(2))).toEqual([at(7)]);
    log.now = 1_000;
    expect(await clientsOf(agents, at(2))).toEqual([at(8)]);
  });

  it('are few in memory, however long the replay is', async () => {
    const log = new MovingLog();
    const agents = log.replay();
    await clientsOf(agents);
    for (let id = 0; id < 2_000; id++) await agents.of(new Set([`agent-${String(id)}` as AgentId]));
    log.asked = 0;
    await clientsOf(agents);
    expect(log.asked).toBe(1);
  });
});
