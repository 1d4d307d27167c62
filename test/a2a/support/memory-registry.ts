import type { Capability } from '../../../src/capabilities/domain/capability.js';
import { capabilityStream } from '../../../src/capabilities/domain/stream.js';
import {
  CapabilityRegistry,
  type AgentCapabilities,
} from '../../../src/capabilities/queries/capability-registry.js';
import type { AgentId, SkillId } from '../../../src/kernel/ids.js';

/** A registry in memory, whose view can lag behind the heads of its streams. */
export class MemoryRegistry extends CapabilityRegistry {
  readonly #heads = new Map<SkillId, Capability>();
  #view: AgentCapabilities;
  #version = 0;
  /** Called before every look at a head, for what happens in between. */
  beforeHead: (look: number) => void = () => undefined;
  #looks = 0;

  constructor(
    private readonly agentId: AgentId,
    ...capabilities: readonly Capability[]
  ) {
    super();
    this.#view = { agentId, version: 0, all: new Map() };
    for (const each of capabilities) this.put(each);
  }

  /** The capability as it is from now on, in the view and at the head. */
  put(capability: Capability): void {
    this.putHead(capability);
    this.#show(new Map(this.#heads));
  }

  /** At the head alone: the view has not heard of it yet. */
  putHead(capability: Capability): void {
    const { id } = capability.manifest;
    const revision = (this.#heads.get(id)?.revision ?? -1) + 1;
    this.#heads.set(id, { ...capability, revision });
  }

  /** These and no others; in the view they may look otherwise. */
  reset(heads: readonly Capability[], view: readonly Capability[] = heads): void {
    this.#heads.clear();
    for (const each of heads) this.#heads.set(each.manifest.id, each);
    this.#show(new Map(view.map((each) => [each.manifest.id, each])));
  }

  of(agentId: AgentId): AgentCapabilities {
    return agentId === this.agentId ? this.#view : { agentId, version: 0, all: new Map() };
  }

  async isComplete(): Promise<boolean> {
    return true;
  }

  async head(
    agentId: AgentId,
    skillId: SkillId,
  ): Promise<{ readonly stream: string; readonly capability: Capability } | undefined> {
    this.beforeHead(++this.#looks);
    const capability = agentId === this.agentId ? this.#heads.get(skillId) : undefined;
    return capability && { stream: capabilityStream(agentId, skillId), capability };
  }

  #show(all: ReadonlyMap<SkillId, Capability>): void {
    this.#view = { agentId: this.agentId, version: ++this.#version, all };
  }
}
