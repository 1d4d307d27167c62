import { Inject, Injectable } from '@nestjs/common';
import type { Config } from '../../config/config.js';
import { hostTenant, type HostedAgent } from '../../config/hosted-agents.js';
import { CONFIG, HOSTED_AGENTS } from '../../config/tokens.js';
import type { Prepared } from '../../event-store/command-execution.js';
import type { Basis, EventStore } from '../../event-store/port.js';
import { EVENT_STORE } from '../../event-store/tokens.js';
import type { Caller } from '../../kernel/caller.js';
import type { AgentId, SkillId } from '../../kernel/ids.js';
import type { JsonObject } from '../../kernel/json.js';
import type { Rejection } from '../../kernel/rejection.js';
import { err, ok, type Result } from '../../kernel/result.js';
import type { Timestamp } from '../../kernel/timestamp.js';
import { CapabilityExecution } from '../capability-execution.js';
import type { Capability } from '../domain/capability.js';
import { targetOf, type CapabilityCommand } from '../domain/commands.js';
import type { CapabilityContext } from '../domain/context.js';
import type { CapabilityState } from '../domain/evolve.js';
import { isMoreRestricted } from '../domain/replacement.js';
import { capabilityStream } from '../domain/stream.js';
import { DirectBackends } from '../queries/direct-backends.js';
import { CapabilityRegistry } from '../queries/capability-registry.js';
import { UsageFigures } from '../queries/usage-figures.js';

/** Where decisions find other capabilities. */
export interface CapabilityHeads {
  head(agentId: AgentId, skillId: SkillId): Promise<Capability | undefined>;
  /** All of an agent, no older than when it was asked. Refuses with `projection-behind`. */
  all(agentId: AgentId): Promise<Result<Iterable<Capability>, Rejection>>;
}

/** Who points to a capability, and the heads of all who might begin to. */
interface Predecessors {
  readonly found: readonly Capability[];
  readonly unmoved: Basis;
}

const NOBODY: Predecessors = { found: [], unmoved: {} };

/** Reads what decisions on capabilities rest on: other capabilities at their heads, and usage. */
@Injectable()
export class CapabilityContexts {
  /** The heads of the streams. */
  readonly heads: CapabilityHeads = {
    head: (agentId, skillId) => this.execution.head(agentId, skillId),
    all: async (agentId) =>
      (await this.registry.isComplete(this.config.readWaitMs))
        ? ok(this.registry.of(agentId).all.values())
        : err({ code: 'projection-behind' }),
  };

  constructor(
    @Inject(HOSTED_AGENTS) private readonly hosted: readonly HostedAgent[],
    @Inject(EVENT_STORE) private readonly store: EventStore,
    private readonly execution: CapabilityExecution,
    private readonly registry: CapabilityRegistry,
    private readonly usage: UsageFigures,
    private readonly backends: DirectBackends,
    @Inject(CONFIG) private readonly config: Pick<Config, 'readWaitMs'>,
  ) {}

  /**
   * Refuses with `projection-behind`.
   *
   * Nobody may begin to point to what is being restricted: whoever does so binds the head of what they
   * point to, and so the restriction binds the heads of all who could. Only one that is *registered*
   * pointing there has no head yet.
   *
   * @param state of the command's target, as it is judged
   * @param heads others than those of the streams, for asking what would be
   */
  async prepare(
    command: CapabilityCommand,
    state: CapabilityState,
    caller: Caller | null,
    now: () => Timestamp,
    heads: CapabilityHeads = this.heads,
  ): Promise<Result<Prepared<CapabilityContext>, Rejection>> {
    const { agentId } = targetOf(command);
    const replacements = await replacementsOf(command, heads);
    const read = await predecessorsOf(command, state, heads);
    if (!read.ok) return read;
    const { found: predecessors, unmoved } = read.value;
    const lastCall = await this.#lastCall(command);
    if (!lastCall.ok) return lastCall;
    return ok({
      context: {
        now: now(),
        caller,
        agentTenant: hostTenant(this.hosted, agentId),
        replacements,
        predecessors,
        lastCall: lastCall.value,
        backendSummary: this.#backendSummary(command),
      },
      basedOn: headsOf([...replacements, ...predecessors]),
      isBasisBinding: true,
      unmoved,
    });
  }

  /** Of what is written down in a manifest; a change of state writes nothing of it. */
  #backendSummary(command: CapabilityCommand): JsonObject | null {
    if (command.kind !== 'register' && command.kind !== 'revise') return null;
    const { agentId, handler } = command.manifest;
    return this.backends.summaryOf(agentId, handler) ?? null;
  }

  /** Only a removal asks; it counts everything that the log holds by now. */
  async #lastCall(command: CapabilityCommand): Promise<Result<Timestamp | null, Rejection>> {
    if (command.kind !== 'change-state' || command.state !== 'removed') return ok(null);
    const { agentId, skillId } = command;
    const usage = await this.usage.of(agentId, skillId, await this.store.head());
    return usage.ok ? ok(usage.value.lastCall) : usage;
  }
}

async function replacementsOf(
  command: CapabilityCommand,
  heads: CapabilityHeads,
): Promise<readonly Capability[]> {
  const { agentId, skillId } = targetOf(command);
  const chain = new Map<SkillId, Capability>();
  let next = replacementIn(command);
  while (next !== null && next !== skillId && !chain.has(next)) {
    const capability = await heads.head(agentId, next);
    if (capability === undefined) break;
    chain.set(next, capability);
    next = capability.manifest.replacement;
  }
  return [...chain.values()];
}

function replacementIn(command: CapabilityCommand): SkillId | null {
  switch (command.kind) {
    case 'register':
    case 'revise':
      return command.manifest.replacement;
    case 'change-state':
      return command.replacement;
    case 'opt-in':
    case 'opt-out':
      return null;
  }
}

/** Asked only for what restricts: whatever else is revised strands nobody. */
async function predecessorsOf(
  command: CapabilityCommand,
  state: CapabilityState,
  heads: CapabilityHeads,
): Promise<Result<Predecessors, Rejection>> {
  if (command.kind !== 'revise' || state === null) return ok(NOBODY);
  const { agentId, id } = command.manifest;
  if (!isMoreRestricted(command.manifest, state.manifest)) return ok(NOBODY);
  const all = await heads.all(agentId);
  if (!all.ok) return all;
  const others = [...all.value].filter(({ manifest }) => manifest.id !== id);
  return ok({
    found: others.filter(({ manifest }) => manifest.replacement === id),
    // A tombstone is pointed nowhere else.
    unmoved: headsOf(others.filter(({ manifest }) => manifest.state !== 'removed')),
  });
}

function headsOf(capabilities: readonly Capability[]): Basis {
  return Object.fromEntries(
    capabilities.map(({ manifest, revision }) => [
      capabilityStream(manifest.agentId, manifest.id),
      revision,
    ]),
  );
}
