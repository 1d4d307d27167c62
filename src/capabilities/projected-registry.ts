import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { EventStore } from '../event-store/port.js';
import { EVENT_STORE } from '../event-store/tokens.js';
import type { AgentId, SkillId } from '../kernel/ids.js';
import type { ReadModel } from '../projections/port.js';
import { READ_MODEL } from '../projections/tokens.js';
import { CapabilityExecution } from './capability-execution.js';
import type { Capability } from './domain/capability.js';
import { capabilityStream } from './domain/stream.js';
import { capabilityDirectory } from './projection.js';
import { CapabilityRegistry, type AgentCapabilities } from './queries/capability-registry.js';
import { readStoredCapability } from './stored-capability.js';

/** How far the view was when an agent's capabilities were last read from it. */
interface Mark {
  readonly epoch: string;
  readonly change: number;
}

interface Entry {
  readonly registered: string;
  readonly capability: Capability;
}

/** All rows of an agent, those left out included, in the order of their registration. */
interface Entries {
  readonly entries: Map<SkillId, Entry>;
  /** When the last of them was registered. */
  readonly last: string;
}

interface Cached extends Entries {
  readonly mark: Mark;
  /** Streams of this agent that were left out. */
  readonly leftOut: string;
  readonly capabilities: AgentCapabilities;
}

interface Row {
  readonly skill_id: SkillId;
  readonly registered: string;
  readonly capability: string;
}

/** Of the order of agents that one deployment hosts. */
const CACHED_AGENTS = 1_000;

const NOTHING: Mark = { epoch: '', change: 0 };

/** The registry over the view `capability-directory`: loads what changed since it last looked. */
@Injectable()
export class ProjectedRegistry extends CapabilityRegistry {
  readonly #cache = new LRUCache<AgentId, Cached>({ max: CACHED_AGENTS });
  #versions = 0;

  constructor(
    @Inject(READ_MODEL) private readonly readModel: ReadModel,
    @Inject(EVENT_STORE) private readonly store: EventStore,
    private readonly execution: CapabilityExecution,
  ) {
    super();
  }

  of(agentId: AgentId): AgentCapabilities {
    const leftOut = this.#leftOutOf(agentId);
    // Which streams to leave out is not known yet: nothing fails open.
    if (leftOut === undefined) return { agentId, version: 0, all: new Map() };
    const cached = this.#cache.get(agentId);
    const mark = this.#markOf(agentId);
    const isCurrent = cached !== undefined && sameMark(cached.mark, mark);
    if (isCurrent && cached.leftOut === leftOut.key) return cached.capabilities;
    const { entries, last } = isCurrent ? cached : this.#load(agentId, mark, cached);
    const { streams } = leftOut;
    const all = new Map<SkillId, Capability>();
    for (const [skillId, { capability }] of entries) {
      const isLeftOut = streams.size > 0 && streams.has(capabilityStream(agentId, skillId));
      if (!isLeftOut) all.set(skillId, capability);
    }
    const capabilities = { agentId, version: ++this.#versions, all };
    this.#cache.set(agentId, { mark, entries, last, leftOut: leftOut.key, capabilities });
    return capabilities;
  }

  async isComplete(timeoutMs: number): Promise<boolean> {
    return await this.readModel.waitFor(await this.store.head(), timeoutMs, [
      capabilityDirectory.name,
    ]);
  }

  async head(
    agentId: AgentId,
    skillId: SkillId,
  ): Promise<{ readonly stream: string; readonly capability: Capability } | undefined> {
    const capability = await this.execution.head(agentId, skillId);
    return capability && { stream: capabilityStream(agentId, skillId), capability };
  }

  #markOf(agentId: AgentId): Mark {
    const row = this.readModel
      .prepare<Mark>('SELECT epoch, change FROM capability_directory_agents WHERE agent_id = ?')
      .get(agentId);
    return row ?? NOTHING;
  }

  /** Almost always none; undefined as long as nobody knows. */
  #leftOutOf(agentId: AgentId): { streams: ReadonlySet<string>; key: string } | undefined {
    const streams = this.readModel.unreliableStreams(capabilityDirectory.name);
    if (streams === undefined || streams.size === 0) return streams && { streams, key: '' };
    const prefix = capabilityStream(agentId, '' as SkillId);
    const own = [...streams].filter((stream) => stream.startsWith(prefix)).sort();
    return { streams: new Set(own), key: own.join(' ') };
  }

  /** Brings the cached rows up to date; reads all of them when the view was built anew. */
  #load(agentId: AgentId, mark: Mark, cached: Cached | undefined): Entries {
    const known = cached?.mark.epoch === mark.epoch && cached.mark.change <= mark.change;
    const entries = known ? cached.entries : new Map<SkillId, Entry>();
    const rows = this.readModel
      .prepare<Row>(
        `SELECT skill_id, registered, capability FROM capability_directory
         WHERE agent_id = ? AND change > ? ORDER BY registered`,
      )
      .all(agentId, known ? cached.mark.change : 0);
    let last = known ? cached.last : '';
    let inOrder = true;
    for (const { skill_id: skillId, registered, capability } of rows) {
      // A changed one keeps its place. A new one comes last, unless it had been parked.
      if (!entries.has(skillId)) {
        inOrder &&= registered > last;
        last = registered > last ? registered : last;
      }
      entries.set(skillId, { registered, capability: readStoredCapability(capability) });
    }
    return { entries: inOrder ? entries : ordered(entries), last };
  }
}

function ordered(entries: ReadonlyMap<SkillId, Entry>): Map<SkillId, Entry> {
  return new Map([...entries].sort(([, a], [, b]) => (a.registered < b.registered ? -1 : 1)));
}

function sameMark(a: Mark, b: Mark): boolean {
  return a.epoch === b.epoch && a.change === b.change;
}
