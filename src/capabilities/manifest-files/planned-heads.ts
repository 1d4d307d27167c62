import { fold, type Recorded } from '../../kernel/event.js';
import type { AgentId, SkillId } from '../../kernel/ids.js';
import type { Rejection } from '../../kernel/rejection.js';
import { ok, type Result } from '../../kernel/result.js';
import type { Timestamp } from '../../kernel/timestamp.js';
import type { CapabilityHeads } from '../commands/capability-contexts.js';
import type { Capability } from '../domain/capability.js';
import type { CapabilityEvent } from '../domain/events.js';
import { evolveCapability, type CapabilityState } from '../domain/evolve.js';
import { capabilityStream } from '../domain/stream.js';

/**
 * Capabilities as they will be once what is planned has happened. Each is read once: a plan is made for
 * one moment, and whatever changes after it overtakes the plan.
 */
export class PlannedHeads implements CapabilityHeads {
  readonly #planned = new Map<string, Capability>();
  readonly #read = new Map<string, Promise<Capability | undefined>>();

  constructor(private readonly today: CapabilityHeads) {}

  async head(agentId: AgentId, skillId: SkillId): Promise<Capability | undefined> {
    const stream = capabilityStream(agentId, skillId);
    const planned = this.#planned.get(stream);
    if (planned !== undefined) return planned;
    const read = this.#read.get(stream) ?? this.today.head(agentId, skillId);
    this.#read.set(stream, read);
    return await read;
  }

  async all(agentId: AgentId): Promise<Result<Iterable<Capability>, Rejection>> {
    const today = await this.today.all(agentId);
    if (!today.ok) return today;
    const all = new Map([...today.value].map((each) => [each.manifest.id, each]));
    for (const capability of this.#planned.values()) {
      if (capability.manifest.agentId === agentId) all.set(capability.manifest.id, capability);
    }
    return ok(all.values());
  }

  record(state: CapabilityState, events: readonly CapabilityEvent[], recordedAt: Timestamp): void {
    const next = (state?.revision ?? -1) + 1;
    const recorded = events.map((event, index): Recorded<CapabilityEvent> => ({
      ...event,
      recordedAt,
      revision: next + index,
    }));
    const after = fold<CapabilityState, CapabilityEvent>(evolveCapability, state, recorded);
    if (after === null) return;
    this.#planned.set(capabilityStream(after.manifest.agentId, after.manifest.id), after);
  }
}
