import { Inject, Injectable } from '@nestjs/common';
import type { HostedAgent } from '../../config/hosted-agents.js';
import { StartupError } from '../../config/startup-error.js';
import { CLOCK, HOSTED_AGENTS, RANDOM_BYTES } from '../../config/tokens.js';
import {
  commandIdentity,
  type CommandEnvelope,
  type RandomBytes,
} from '../../event-store/command-execution.js';
import type { EventStore } from '../../event-store/port.js';
import { EVENT_STORE } from '../../event-store/tokens.js';
import { encodeBase64Url } from '../../kernel/base64url.js';
import { deriveUuid } from '../../kernel/ids.js';
import { REJECTIONS, type Rejection } from '../../kernel/rejection.js';
import { ok, type Result } from '../../kernel/result.js';
import { timestampOf, type Clock } from '../../kernel/timestamp.js';
import type { ReadModel } from '../../projections/port.js';
import { READ_MODEL } from '../../projections/tokens.js';
import { CapabilityCommands } from '../commands/capability-commands.js';
import { CapabilityContexts } from '../commands/capability-contexts.js';
import { CardPublication } from '../commands/card-publication.js';
import { targetOf, type CapabilityCommand } from '../domain/commands.js';
import { capabilityDecider } from '../domain/decider.js';
import { replacementsFirst } from './in-order.js';
import { loadedChange, type LoadedChange } from './loaded-change.js';
import { planChanges } from './plan-changes.js';
import { PlannedHeads } from './planned-heads.js';
import { readManifestFiles, type FiledManifest } from './read-manifest-files.js';
import { RegisteredBackends } from './registered-backends.js';
import { RegistrySurvey } from './registry-survey.js';

interface Planned {
  readonly place: string;
  readonly command: CapabilityCommand;
}

interface Step extends Planned {
  readonly change: LoadedChange;
}

interface Plan {
  readonly steps: readonly Step[];
  readonly kept: readonly LoadedChange[];
  readonly faults: readonly string[];
}

/** Views that are rebuilt read the whole log first. */
const VIEWS_PATIENCE_MS = 5 * 60 * 1000;

const ACTOR = { principal: 'process:capability-loader', agent: null, tenant: null } as const;

/**
 * Makes the registry what the manifest files say, by the commands that anybody else would give. All
 * of it is decided before anything is recorded, so that files with a fault change nothing; files
 * without news record nothing. Nodes that load the same files at once record them once.
 */
@Injectable()
export class CapabilityLoader {
  constructor(
    @Inject(HOSTED_AGENTS) private readonly hosted: readonly HostedAgent[],
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(RANDOM_BYTES) private readonly random: RandomBytes,
    @Inject(EVENT_STORE) private readonly store: EventStore,
    @Inject(READ_MODEL) private readonly readModel: ReadModel,
    private readonly capabilities: CapabilityCommands,
    private readonly contexts: CapabilityContexts,
    private readonly cards: CardPublication,
    private readonly survey: RegistrySurvey,
    private readonly backends: RegisteredBackends,
  ) {}

  /**
   * What is worth knowing of the capabilities that there are then is logged, but not waited for.
   *
   * @returns what has changed, in the order in which it did
   * @throws {StartupError} with every fault of the files, everything that the registry refuses, or
   * every capability that says something else of its backend than the backend that is bound here
   */
  async load(): Promise<readonly LoadedChange[]> {
    const changes = await this.#load();
    if (this.hosted.length > 0) {
      await this.#viewsAreComplete();
      this.backends.check();
    }
    this.survey.begin();
    return changes;
  }

  async #load(): Promise<readonly LoadedChange[]> {
    const { manifests, faults } = await readManifestFiles(this.hosted);
    if (faults.length > 0) throw new StartupError(faults);
    if (manifests.length === 0) return [];
    // What points to a capability, and when it was last called, is found in views.
    await this.#viewsAreComplete();
    const plan = await this.#plan(manifests);
    if (plan.faults.length > 0) throw new StartupError(plan.faults);
    const correlationId = deriveUuid(['capability-loader', encodeBase64Url(this.random(16))]);
    for (const { place, command } of plan.steps) {
      const envelope = envelopeOf(command, correlationId);
      const executed = await this.capabilities.perform(command, null, envelope);
      if (!executed.ok) throw new StartupError([refused(place, executed.error)]);
    }
    const changed = new Set(plan.steps.map(({ command }) => targetOf(command).agentId));
    for (const agentId of changed) await this.cards.ensure(agentId);
    return [...plan.steps.map(({ change }) => change), ...plan.kept];
  }

  async #viewsAreComplete(): Promise<void> {
    if (!(await this.readModel.waitFor(await this.store.head(), VIEWS_PATIENCE_MS))) {
      throw new StartupError(['the views did not catch up with the log in 5 minutes']);
    }
  }

  /**
   * First everything up to deprecation, replacements before what they replace; then removals the
   * other way round, so that nothing is ever asked to point to a tombstone.
   */
  async #plan(manifests: readonly FiledManifest[]): Promise<Plan> {
    const heads = new PlannedHeads(this.contexts.heads);
    const steps: Step[] = [];
    const removals: Planned[] = [];
    const kept: LoadedChange[] = [];
    const faults: string[] = [];
    const rehearse = async ({ place, command }: Planned): Promise<void> => {
      const change = await this.#rehearse(command, heads);
      if (change.ok) steps.push({ place, command, change: change.value });
      else faults.push(refused(place, change.error));
    };
    for (const { place, manifest } of replacementsFirst(manifests)) {
      const { agentId, id: skillId } = manifest;
      const planned = planChanges((await heads.head(agentId, skillId)) ?? null, manifest);
      for (const detail of planned.kept) {
        kept.push({ agentId, skillId, change: 'kept', detail, changes: [], level: 'warn' });
      }
      const isRemoval = (command: CapabilityCommand): boolean =>
        command.kind === 'change-state' && command.state === 'removed';
      removals.unshift(
        ...planned.commands.filter(isRemoval).map((command) => ({ place, command })),
      );
      for (const command of planned.commands.filter((each) => !isRemoval(each))) {
        await rehearse({ place, command });
      }
    }
    for (const removal of removals) await rehearse(removal);
    return { steps, kept, faults };
  }

  /** Decides a command on what is planned so far, and counts it in. */
  async #rehearse(
    command: CapabilityCommand,
    heads: PlannedHeads,
  ): Promise<Result<LoadedChange, Rejection>> {
    const now = timestampOf(this.clock());
    const { agentId, skillId } = targetOf(command);
    const prepared = await this.contexts.prepare(command, null, () => now, heads);
    if (!prepared.ok) return prepared;
    const state = (await heads.head(agentId, skillId)) ?? null;
    const decision = capabilityDecider.decide(state, command, prepared.value.context);
    if (!decision.ok) return decision;
    heads.record(state, decision.value, now);
    return ok(loadedChange(command, state, await heads.head(agentId, skillId)));
  }
}

function refused(place: string, { code, detail }: Rejection): string {
  return `${place}: ${code}: ${REJECTIONS[code]}${detail === undefined ? '' : ` ${detail}`}`;
}

/** The same files at the same heads give the same commands on every node. */
function envelopeOf(command: CapabilityCommand, correlationId: string): CommandEnvelope {
  const { agentId, skillId } = targetOf(command);
  const head = 'expectedRevision' in command ? String(command.expectedRevision) : null;
  const identity = commandIdentity({
    actor: ACTOR,
    idempotencyKey: undefined,
    content: { kind: command.kind, target: `${agentId}/${skillId}`, body: command },
    head,
  });
  return { ...identity, actor: ACTOR, correlationId, causationId: null, traceparent: null };
}
