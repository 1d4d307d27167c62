import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Agent } from '../../../../src/agents/domain/agent.js';
import { CurrentAgents, type AgentsNow } from '../../../../src/audit/replay/current-agents.js';
import { DisclosedEvents } from '../../../../src/audit/replay/disclosed-events.js';
import { Replay, type PageBounds } from '../../../../src/audit/replay/replay.js';
import type { ReplayQuery } from '../../../../src/audit/replay/replay-query.js';
import { StreamSubjects } from '../../../../src/audit/replay/stream-subjects.js';
import type { DataKey } from '../../../../src/event-store/key-store.js';
import { START, type EventStore } from '../../../../src/event-store/port.js';
import { openSqliteEventStore } from '../../../../src/event-store/sqlite/sqlite-event-store.js';
import { RecordedErasures } from '../../../../src/interactions/queries/recorded-erasures.js';
import { decodeBase64Url } from '../../../../src/kernel/base64url.js';
import type { Caller, Scope } from '../../../../src/kernel/caller.js';
import type { EventEnvelope } from '../../../../src/kernel/envelope.js';
import type { AgentId } from '../../../../src/kernel/ids.js';
import type { StoredLog } from '../../../golden/stored-log.js';

export interface GoldenReplay {
  readonly replay: Replay;
  readonly store: EventStore;
  dispose(): Promise<void>;
}

export interface GoldenReplayOptions {
  /** Tenants by agent. */
  readonly tenants?: Readonly<Record<string, string>>;
  readonly bounds?: PageBounds;
  /** What stands in the key store instead of the log's own keys. */
  readonly keys?: ReadonlyMap<string, DataKey | 'erased'>;
}

/** A replay over a log that an earlier version stored, in a real store, with the keys that open it. */
export async function replayOf(
  { events, dataKeys = {} }: StoredLog,
  { tenants = {}, bounds, keys = keysOf(dataKeys) }: GoldenReplayOptions = {},
): Promise<GoldenReplay> {
  const folder = await mkdtemp(join(tmpdir(), 'countersign-replay-'));
  const store = await openSqliteEventStore(join(folder, 'events.db'));
  for (const event of events) await append(store, event);
  const agentsNow: AgentsNow = async (agentIds) =>
    Promise.resolve(new Map(Array.from(agentIds, (id) => [id, agentOf(id, tenants[id])] as const)));
  const agents = (): CurrentAgents => new CurrentAgents(agentsNow, store);
  const held = {
    findAll: async (scopes: readonly string[]) =>
      Promise.resolve(new Map([...keys].filter(([scope]) => scopes.includes(scope)))),
  };
  const erasures = new RecordedErasures(store);
  const disclosed = new DisclosedEvents(new StreamSubjects(store), agents, held, erasures);
  return {
    replay: new Replay(store, disclosed, bounds),
    store,
    dispose: async () => {
      await store.close();
      await rm(folder, { recursive: true });
    },
  };
}

export function reader(tenant: string, ...scopes: readonly Scope[]): Caller {
  const who = { principal: 'auditor', client: null, agent: null, tenant };
  return { ...who, scopes: new Set(scopes), allScopes: new Set(scopes) };
}

/** Everything from the first event, or what is said of it. */
export function asking(more: Partial<ReplayQuery> = {}): ReplayQuery {
  const everything = { stream: undefined, types: undefined, agent: undefined };
  return { after: START, ...everything, since: undefined, until: undefined, texts: true, ...more };
}

async function append(store: EventStore, event: EventEnvelope): Promise<void> {
  const { stream, revision, ...envelope } = event;
  const appended = await store.append(stream, revision === 0 ? 'no-stream' : revision - 1, [
    envelope,
  ]);
  if (!appended.ok) throw new Error(`${stream} is not at ${String(revision)}`);
}

function keysOf(dataKeys: Readonly<Record<string, string>>): ReadonlyMap<string, DataKey> {
  return new Map(
    Object.entries(dataKeys).map(([scope, key]) => [scope, decodeBase64Url(key) as DataKey]),
  );
}

function agentOf(agentId: AgentId, tenant = 'nobody'): Agent {
  return { agentId, tenant, owner: `owner-of-${agentId}`, clients: [] } as unknown as Agent;
}
