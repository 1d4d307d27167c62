import { randomUUID } from 'node:crypto';
import { agentStream } from '../../src/agents/domain/stream.js';
import type { Manifest } from '../../src/capabilities/domain/manifest.js';
import { capabilityStream } from '../../src/capabilities/domain/stream.js';
import type { KeyStore } from '../../src/event-store/key-store.js';
import type { EventStore } from '../../src/event-store/port.js';
import { interactionStream } from '../../src/interactions/domain/stream.js';
import type { Caller } from '../../src/kernel/caller.js';
import type { DomainEvent } from '../../src/kernel/event.js';
import type { AgentId, InteractionId, SkillId } from '../../src/kernel/ids.js';
import { agentStory, attested, envelopeOf, proposed } from './replay-log.js';

/** When all of it happens; its contracts are in force for months. */
export const CONTRACTS_AT_MS = Date.parse('2030-01-02T00:00:00.000Z');

/** What the entries of its contracts prohibit, so that none of them is prose. */
export const PROHIBITED = ['publish', 'patient records'];

export const HOSTED = 'did:web:hosted.example' as AgentId;

/** Appends that wait for one commit. */
const CONCURRENT = 256;

export const callerAgent = (n: number): AgentId => `did:web:caller-${String(n)}.example` as AgentId;
export const skillOf = (n: number): SkillId => `translate-${String(n)}` as SkillId;

/** The runtime of an agent that {@link writeAgents} registers. */
export function callerOf(agent: AgentId): Caller {
  const client = `client-of-${agent}`;
  const scopes = new Set<never>();
  const tenant = `tenant-${agent.slice(-10)}`;
  return { principal: client, client, agent, tenant, scopes, allScopes: scopes };
}

/** Fills logs through the port of the store. */
export class ContractLog {
  constructor(
    private readonly store: EventStore,
    private readonly keys: KeyStore,
    private readonly atMs = CONTRACTS_AT_MS,
  ) {}

  async agents(agents: readonly AgentId[]): Promise<void> {
    await together(agents.length, async (n) => {
      const agent = agents[n] as AgentId;
      await this.#append(agentStream(agent), agentStory(agent)[0] ?? []);
    });
  }

  async manifests(from: number, to: number, manifestOf = translation): Promise<void> {
    await together(to - from, async (n) => {
      const manifest = manifestOf(from + n);
      const registered = {
        type: 'capability-registered',
        data: { manifest },
        texts: null,
      } as const;
      await this.#append(capabilityStream(manifest.agentId, manifest.id), [registered]);
    });
  }

  /**
   * Contracts in force with the hosted agent.
   * @param agentOf whose the n-th is
   */
  async contracts(
    count: number,
    agentOf: (n: number) => AgentId,
  ): Promise<readonly InteractionId[]> {
    const ids: InteractionId[] = [];
    await together(count, async (n) => {
      const id = randomUUID() as string as InteractionId;
      ids.push(id);
      const parties = [agentOf(n), HOSTED];
      await this.#append(interactionStream(id), [proposed(id, parties), attested(id, 1)]);
    });
    return ids;
  }

  async #append(stream: string, events: readonly DomainEvent[]): Promise<void> {
    const envelopes = await Promise.all(
      events.map((event) => envelopeOf(event, stream, this.keys, this.atMs)),
    );
    const appended = await this.store.append(stream, 'no-stream', envelopes);
    if (!appended.ok) throw new Error('nobody else writes this log');
  }
}

async function together(count: number, work: (n: number) => Promise<void>): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: CONCURRENT }, worker));
}

function translation(n: number): Manifest {
  return {
    id: skillOf(n),
    agentId: HOSTED,
    state: 'ga',
    visibility: 'public',
    skill: {
      name: 'Translate',
      description: 'Translates a text.',
      tags: ['translation'],
      examples: ['Translate this.'],
      inputModes: ['application/json'],
      outputModes: ['application/json'],
    },
    requiresScopes: [],
    tenants: '*',
    handler: 'translate',
    limits: {},
    owner: 'bench',
    replacement: null,
    requiresContract: true,
    action: 'translate',
    data: ['glossary'],
    callers: 'initiator',
    directInvoke: null,
  };
}
