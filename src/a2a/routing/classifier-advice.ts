import type { AgentId, SkillId } from '../../kernel/ids.js';
import type { ClassifierFeed } from './classifier-feed.js';
import type { SkillWarning } from './text-classifier.js';

/** Something worth telling whoever registers a capability. */
interface Advice {
  readonly code: SkillWarning['code'];
  readonly detail: string;
}

/** Looks at a new capability as the text classifier does: `RegistrationAdvice` of the capabilities. */
export class ClassifierAdvice {
  constructor(private readonly feed: ClassifierFeed) {}

  /** Few examples, and other skills that the same texts seem to be for. */
  async warningsFor(agentId: AgentId, skillId: SkillId): Promise<readonly Advice[]> {
    const warnings = await this.feed.warnings(agentId, skillId);
    return warnings.flatMap((warning) => adviceOf(warning, skillId) ?? []);
  }
}

function adviceOf(warning: SkillWarning, about: SkillId): Advice | undefined {
  const { code, skillId } = warning;
  switch (code) {
    case 'few-examples':
      if (skillId !== about) return undefined;
      return {
        code,
        detail: `It has ${warning.examples} examples; with fewer than 3, messages are often not recognised.`,
      };
    case 'skills-overlap': {
      if (skillId !== about && warning.with !== about) return undefined;
      const other = skillId === about ? warning.with : skillId;
      return {
        code,
        detail: `Its texts are hard to tell from those of ${other}: ${warning.confusions} of them were mistaken.`,
      };
    }
  }
}
