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
import type { RejectionCode } from '../../kernel/rejection.js';
import { timestampOf, type Clock } from '../../kernel/timestamp.js';
import type { ReadModel } from '../../projections/port.js';
import { READ_MODEL } from '../../projections/tokens.js';
import { CapabilityCommands } from '../commands/capability-commands.js';
import { CapabilityContexts } from '../commands/capability-contexts.js';
import { CardPublication } from '../commands/card-publication.js';
import { targetOf, type CapabilityCommand } from '../domain/commands.js';
import { capabilityStream } from '../domain/stream.js';
import { completeViews } from './complete-views.js';
import { planLoad, refused, type Step } from './load-plan.js';
import type { LoadedChange } from './loaded-change.js';
import { readManifestFiles, type FiledManifest } from './read-manifest-files.js';
import { RegisteredBackends } from './registered-backends.js';
import { RegistrySurvey } from './registry-survey.js';

/** Refusals of what REST, or another node, was first with. */
const OVERTAKEN: ReadonlySet<RejectionCode> = new Set<RejectionCode>([
  'capability-changed',
  'capability-exists',
  'contention',
]);
/** Plans in a row of which not even the first step was first. */
const MAX_LOST_PLANS = 24;

const ACTOR = { principal: 'process:capability-loader', agent: null, tenant: null } as const;

/**
 * Makes the registry what the manifest files say, by the commands that anybody else would give. All
 * of it is decided before anything is recorded, so that files with a fault change nothing; files
 * without news record nothing. Nodes that load the same files at once record them once. What others
 * change meanwhile is overridden, too, or found to be at odds with the files like anything else.
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
    const correlationId = deriveUuid(['capability-loader', encodeBase64Url(this.random(16))]);
    const changes = await this.#carryOut(manifests, correlationId);
    const changed = new Set(changes.map(({ agentId }) => agentId));
    for (const agentId of changed) await this.cards.ensure(agentId);
    return changes;
  }

  /** What is overtaken is planned anew, with all that is still to be done; what is done stays done. */
  async #carryOut(
    manifests: readonly FiledManifest[],
    correlationId: string,
  ): Promise<readonly LoadedChange[]> {
    const changes: LoadedChange[] = [];
    const kept = new Map<string, LoadedChange>();
    let left = manifests;
    for (let lost = 0; ;) {
      const plan = await planLoad(left, this.contexts, () => timestampOf(this.clock()));
      if (plan.faults.length > 0) throw new StartupError(plan.faults);
      for (const each of plan.kept) kept.set(`${streamOf(each)} ${each.detail}`, each);
      const { done, overtaken } = await this.#perform(plan.steps, correlationId);
      changes.push(...done.map(({ change }) => change));
      if (overtaken === undefined) return [...changes, ...kept.values()];
      lost = done.length > 0 ? 0 : lost + 1;
      if (lost === MAX_LOST_PLANS) throw new StartupError([overtaken]);
      const open = new Set(
        plan.steps.slice(done.length).map(({ command }) => streamOf(targetOf(command))),
      );
      left = left.filter(({ manifest }) =>
        open.has(streamOf(targetOf({ kind: 'register', manifest }))),
      );
    }
  }

  /** Step by step, until one is overtaken. */
  async #perform(
    steps: readonly Step[],
    correlationId: string,
  ): Promise<{ readonly done: readonly Step[]; readonly overtaken: string | undefined }> {
    for (const [index, { place, command }] of steps.entries()) {
      const envelope = envelopeOf(command, correlationId);
      const executed = await this.capabilities.perform(command, null, envelope);
      if (executed.ok) continue;
      const why = refused(place, executed.error);
      if (!OVERTAKEN.has(executed.error.code)) throw new StartupError([why]);
      return { done: steps.slice(0, index), overtaken: why };
    }
    return { done: steps, overtaken: undefined };
  }

  async #viewsAreComplete(): Promise<void> {
    const complete = await completeViews(this.store, this.readModel);
    if (!complete.ok) throw new StartupError([complete.error]);
  }
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

function streamOf({ agentId, skillId }: ReturnType<typeof targetOf>): string {
  return capabilityStream(agentId, skillId);
}
