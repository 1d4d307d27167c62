import { fold, type Recorded } from '../../kernel/event.js';
import type { AgentId, SkillId } from '../../kernel/ids.js';
import type { Timestamp } from '../../kernel/timestamp.js';
import type { CapabilityHeads } from '../commands/capability-contexts.js';
import type { Capability } from '../domain/capability.js';
import type { CapabilityEvent } from '../domain/events.js';
import { evolveCapability, type CapabilityState } from '../domain/evolve.js';
import { capabilityStream } from '../domain/stream.js';

/** Capabilities as they will be once what is planned has happened. */
export class PlannedHeads implements CapabilityHeads {
  readonly #planned = new Map<string, Capability>();

  constructor(private readonly today: CapabilityHeads) {}

  async head(agentId: AgentId, skillId: SkillId): Promise<Capability | undefined> {
    const planned = this.#planned.get(capabilityStream(agentId, skillId));
    return planned ?? this.today.head(agentId, skillId);
  }

  *candidates(agentId: AgentId): Iterable<Capability> {
    yield* this.today.candidates(agentId);
    for (const capability of this.#planned.values()) {
      if (capability.manifest.agentId === agentId) yield capability;
    }
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
