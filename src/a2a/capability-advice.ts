import type { Capability } from '../capabilities/domain/capability.js';
import type { DirectBackends } from '../capabilities/queries/direct-backends.js';
import type { CapabilityRegistry } from '../capabilities/queries/capability-registry.js';
import {
  RegistrationAdvice,
  type Advice,
  type SkillAdvice,
} from '../capabilities/queries/registration-advice.js';
import type { AgentId, SkillId } from '../kernel/ids.js';
import type { Handlers } from './handlers/handler-registry.js';
import type { ClassifierAdvice } from './routing/classifier-advice.js';
import { jsonModes } from './routing/media-types.js';

/** Media types in one warning. */
const MAX_NAMED = 8;

/** Looks at capabilities as whoever routes to them and runs them in this process. */
export class CapabilityAdvice extends RegistrationAdvice {
  constructor(
    private readonly registry: Pick<CapabilityRegistry, 'of' | 'head'>,
    private readonly handlers: Handlers,
    private readonly backends: DirectBackends,
    private readonly classifier: Pick<ClassifierAdvice, 'warningsFor' | 'survey'>,
  ) {
    super();
  }

  override async warningsFor(agentId: AgentId, skillId: SkillId): Promise<readonly Advice[]> {
    const found = await this.registry.head(agentId, skillId);
    return [
      ...(found === undefined ? [] : this.#ofHandler(found.capability)),
      ...(await this.classifier.warningsFor(agentId, skillId)),
    ];
  }

  /** Handlers first: they are known at once. */
  override async *survey(agentId: AgentId): AsyncGenerator<SkillAdvice> {
    for (const [skillId, capability] of this.registry.of(agentId).all) {
      for (const advice of this.#ofHandler(capability)) yield { skillId, ...advice };
    }
    yield* await this.classifier.survey(agentId);
  }

  /** What nobody can call needs none. */
  #ofHandler({ manifest }: Capability): readonly Advice[] {
    const { agentId, state, visibility, handler, skill, directInvoke } = manifest;
    if (state === 'removed' || visibility === 'internal') return [];
    const advice: Advice[] = [];
    const isBound = this.backends.summaryOf(agentId, handler) !== undefined;
    const takesData = isBound && directInvoke !== null;
    const isDataAlone = takesData && skill.inputModes.every((mode) => mode === 'application/json');
    const hasHandler = this.handlers.get(agentId, handler) !== undefined;
    if (!hasHandler && !isDataAlone) {
      const refused = takesData ? 'without data that fits its input schema' : 'for it';
      const by = takesData ? 'data-unfit' : 'handler-absent';
      const detail = `This process has no handler ${handler}: messages ${refused} are refused (${by}).`;
      advice.push({ code: 'handler-absent', detail });
    }
    const produced = hasHandler ? skill.outputModes : jsonModes(skill.outputModes);
    const unmet = skill.outputModes.filter((mode) => !produced.includes(mode));
    if (takesData && unmet.length > 0) {
      const named = unmet.slice(0, MAX_NAMED).join(', ');
      const detail = `A backend gives data: nothing here produces ${named}, which the card names (output-modes-unmet).`;
      advice.push({ code: 'output-not-data', detail });
    }
    if (directInvoke !== null && !isBound) {
      const detail = `No backend is bound to the handler ${handler} here: direct invocations are refused (BACKEND_NOT_FOUND).`;
      advice.push({ code: 'backend-absent', detail });
    }
    return advice;
  }
}
