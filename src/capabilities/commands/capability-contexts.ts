import { Inject, Injectable } from '@nestjs/common';
import { hostTenant, type HostedAgent } from '../../config/hosted-agents.js';
import { HOSTED_AGENTS } from '../../config/tokens.js';
import type { Prepared } from '../../event-store/command-execution.js';
import type { EventStore } from '../../event-store/port.js';
import { EVENT_STORE } from '../../event-store/tokens.js';
import type { Caller } from '../../kernel/caller.js';
import type { AgentId, SkillId } from '../../kernel/ids.js';
import type { JsonObject } from '../../kernel/json.js';
import type { Rejection } from '../../kernel/rejection.js';
import { ok, type Result } from '../../kernel/result.js';
import type { Timestamp } from '../../kernel/timestamp.js';
import { CapabilityExecution } from '../capability-execution.js';
import type { Capability } from '../domain/capability.js';
import { targetOf, type CapabilityCommand } from '../domain/commands.js';
import type { CapabilityContext } from '../domain/context.js';
import type { Manifest } from '../domain/manifest.js';
import { capabilityStream } from '../domain/stream.js';
import { DirectBackends } from '../queries/direct-backends.js';
import { CapabilityRegistry } from '../queries/capability-registry.js';
import { UsageFigures } from '../queries/usage-figures.js';

/** Where decisions find other capabilities. */
export interface CapabilityHeads {
  head(agentId: AgentId, skillId: SkillId): Promise<Capability | undefined>;
  /** All of an agent that may be pointing to something, as a view has them. */
  candidates(agentId: AgentId): Iterable<Capability>;
}

/** Reads what decisions on capabilities rest on: other capabilities at their heads, and usage. */
@Injectable()
export class CapabilityContexts {
  /** The heads of the streams. */
  readonly heads: CapabilityHeads = {
    head: (agentId, skillId) => this.execution.head(agentId, skillId),
    candidates: (agentId) => this.registry.of(agentId).all.values(),
  };

  constructor(
    @Inject(HOSTED_AGENTS) private readonly hosted: readonly HostedAgent[],
    @Inject(EVENT_STORE) private readonly store: EventStore,
    private readonly execution: CapabilityExecution,
    private readonly registry: CapabilityRegistry,
    private readonly usage: UsageFigures,
    private readonly backends: DirectBackends,
  ) {}

  /**
   * Refuses with `projection-behind`.
   * @param heads others than those of the streams, for asking what would be
   */
  async prepare(
    command: CapabilityCommand,
    caller: Caller | null,
    now: () => Timestamp,
    heads: CapabilityHeads = this.heads,
  ): Promise<Result<Prepared<CapabilityContext>, Rejection>> {
    const { agentId } = targetOf(command);
    const replacements = await replacementsOf(command, heads);
    const predecessors =
      command.kind === 'revise' ? await predecessorsOf(command.manifest, heads) : [];
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
      basedOn: Object.fromEntries(
        [...replacements, ...predecessors].map(({ manifest, revision }) => [
          capabilityStream(manifest.agentId, manifest.id),
          revision,
        ]),
      ),
      isBasisBinding: true,
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

/** The view finds who they may be; their heads say whether they are. */
async function predecessorsOf(
  { agentId, id }: Manifest,
  heads: CapabilityHeads,
): Promise<readonly Capability[]> {
  const pointing = (capability: Capability | undefined): capability is Capability =>
    capability?.manifest.replacement === id;
  const candidates = [...heads.candidates(agentId)].filter(pointing);
  const found = await Promise.all(
    candidates.map(({ manifest }) => heads.head(agentId, manifest.id)),
  );
  return found.filter(pointing);
}
