import { setTimeout as delay } from 'node:timers/promises';
import type { OnApplicationBootstrap, OnModuleDestroy } from '@nestjs/common';
import type { Capability } from '../../capabilities/domain/capability.js';
import type {
  AgentCapabilities,
  CapabilityRegistry,
} from '../../capabilities/queries/capability-registry.js';
import { countedAs, tenantCountedAs, type Caller } from '../../kernel/caller.js';
import type { AgentId, SkillId } from '../../kernel/ids.js';
import type { SkillTexts, SkillWarning, TextClassifier, TextVerdict } from './text-classifier.js';

export interface ClassifierFeedParts {
  readonly registry: Pick<CapabilityRegistry, 'of'>;
  readonly classifier: TextClassifier;
  /** Told of every change besides. */
  readonly prepare?: (capabilities: AgentCapabilities) => Promise<void>;
  /** The agents whose capabilities are watched. */
  readonly agents: readonly AgentId[];
  /** Something went wrong: callers are asked back meanwhile. */
  readonly report: (line: string, about: Readonly<Record<string, unknown>>) => void;
}

/** How often the registry is looked at, and how long a text waits for skills that it may be about. */
const WATCH_MS = 200;
const PATIENCE_MS = 1000;
/** After this time a failed fit is tried again. */
const RETRY_MS = 5000;
/** How often, and in which steps, a write's own skill is looked for. */
const MAX_LOOKS = 25;
const LOOK_MS = 20;
const UNSURE: TextVerdict = { ranked: [], foreign: false };

/**
 * Keeps the text classifier up to date with the registry, so that a new manifest is routable within
 * a second, and asks it. Whatever goes wrong there makes a text unsure.
 */
export class ClassifierFeed implements OnApplicationBootstrap, OnModuleDestroy {
  readonly #learnt = new Map<AgentId, Learning>();
  #timer: NodeJS.Timeout | undefined;

  constructor(private readonly parts: ClassifierFeedParts) {}

  /** Looks at the registry from now on. */
  onApplicationBootstrap(): void {
    this.#timer ??= setInterval(() => {
      this.#look();
    }, WATCH_MS).unref();
    this.#look();
  }

  onModuleDestroy(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** As `TextClassifier.classify`, by skills that are as new as `capabilities`. */
  async classify(
    capabilities: AgentCapabilities,
    text: string,
    candidates: readonly SkillId[],
    caller: Caller | null,
  ): Promise<TextVerdict> {
    const { classifier, report } = this.parts;
    try {
      const learning = this.#learn(capabilities);
      if (!learning.isOver) await atMost(PATIENCE_MS, learning.done);
      const holder = { tenant: tenantCountedAs(caller), caller: countedAs(caller) };
      return await classifier.classify(capabilities.agentId, text, candidates, holder);
    } catch (error) {
      report('the text classifier failed', { agent: capabilities.agentId, error });
      return UNSURE;
    }
  }

  /**
   * What the classifier thinks of an agent's skills, this one among them as soon as the registry has
   * it; what is known after a moment if that takes longer, or fails.
   */
  async warnings(agentId: AgentId, skillId: SkillId): Promise<readonly SkillWarning[]> {
    const { registry, classifier, report } = this.parts;
    try {
      let capabilities = registry.of(agentId);
      for (let look = 0; look < MAX_LOOKS && !capabilities.all.has(skillId); look++) {
        await delay(LOOK_MS);
        capabilities = registry.of(agentId);
      }
      const learning = this.#learn(capabilities);
      if (!learning.isOver) await atMost(PATIENCE_MS, learning.done);
      return await classifier.warnings(agentId);
    } catch (error) {
      report('the text classifier failed', { agent: agentId, error });
      return [];
    }
  }

  /** What the classifier thinks of an agent's skills once it has learnt all that there are now. */
  async survey(agentId: AgentId): Promise<readonly SkillWarning[]> {
    const { registry, classifier, report } = this.parts;
    try {
      await this.#learn(registry.of(agentId)).done;
      return await classifier.warnings(agentId);
    } catch (error) {
      report('the text classifier failed', { agent: agentId, error });
      return [];
    }
  }

  #look(): void {
    for (const agent of this.parts.agents) {
      try {
        this.#learn(this.parts.registry.of(agent));
      } catch (error) {
        this.parts.report('the capabilities of an agent cannot be read', { agent, error });
      }
    }
  }

  #learn(capabilities: AgentCapabilities): Learning {
    const { agentId, version } = capabilities;
    const known = this.#learnt.get(agentId);
    if (known !== undefined && known.version >= version) return known;
    void this.parts.prepare?.(capabilities);
    const skills = [...capabilities.all.values()].filter(isSomebodys).map(textsOf);
    const done = this.parts.classifier.learn(agentId, skills).catch((error: unknown) => {
      this.parts.report('the text classifier cannot learn', { agent: agentId, error });
      setTimeout(() => this.#forget(learning, agentId), RETRY_MS).unref();
    });
    const learning: Learning = { version, isOver: false, done };
    void done.then(() => {
      learning.isOver = true;
    });
    this.#learnt.set(agentId, learning);
    return learning;
  }

  /** So that the next look tries again. */
  #forget(learning: Learning, agentId: AgentId): void {
    if (this.#learnt.get(agentId) === learning) this.#learnt.delete(agentId);
  }
}

interface Learning {
  readonly version: number;
  isOver: boolean;
  /** Never rejects. */
  readonly done: Promise<void>;
}

/** What no caller may ever use is no reason to ask one back: that would tell that there is something. */
function isSomebodys({ manifest }: Capability): boolean {
  return manifest.visibility !== 'internal';
}

function textsOf({ manifest: { id, skill } }: Capability): SkillTexts {
  const { name, description, tags, examples } = skill;
  return { skillId: id, name, description, tags, examples };
}

/** Waits, but not for ever. */
async function atMost(milliseconds: number, work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const patience = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, milliseconds);
  });
  await Promise.race([work, patience]);
  clearTimeout(timer);
}
