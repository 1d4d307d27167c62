import type { AgentId, SkillId } from '../../kernel/ids.js';
import type { Advice, SkillAdvice } from '../../capabilities/queries/registration-advice.js';
import type { ClassifierFeed } from './classifier-feed.js';
import type { SkillWarning } from './text-classifier.js';

/** Looks at capabilities as the text classifier does: a part of the `RegistrationAdvice`. */
export class ClassifierAdvice {
  constructor(private readonly feed: ClassifierFeed) {}

  /** Few examples, other skills that the same texts seem to be for, and too many skills altogether. */
  async warningsFor(agentId: AgentId, skillId: SkillId): Promise<readonly Advice[]> {
    const warnings = await this.feed.warnings(agentId, skillId);
    return warnings.flatMap((warning) => adviceOf(warning, skillId) ?? []);
  }

  /** All that it thinks of an agent's skills, once it has learnt them; however long it takes. */
  async survey(agentId: AgentId): Promise<readonly SkillAdvice[]> {
    const warnings = await this.feed.survey(agentId);
    return warnings.flatMap((warning) => {
      const skillId = warning.code === 'too-many-texts' ? null : warning.skillId;
      const advice = adviceOf(warning, skillId);
      return advice === undefined ? [] : [{ skillId, ...advice }];
    });
  }
}

/** @param about null: all of the agent's skills */
function adviceOf(warning: SkillWarning, about: SkillId | null): Advice | undefined {
  switch (warning.code) {
    case 'too-many-texts': {
      const { code, texts, most } = warning;
      return {
        code,
        detail: `The agent's skills have ${texts} descriptions and examples, more than ${most}: no text is sure of a skill any more, and callers are asked back unless the form of a message, a hint or the model router decides.`,
      };
    }
    case 'few-examples': {
      const { code, skillId } = warning;
      if (skillId !== about) return undefined;
      return {
        code,
        detail: `With fewer than 3 examples messages are often not recognised; it has ${warning.examples}.`,
      };
    }
    case 'skills-overlap': {
      const { code, skillId } = warning;
      if (skillId !== about && warning.with !== about) return undefined;
      const other = skillId === about ? warning.with : skillId;
      return {
        code,
        detail: `Its texts are hard to tell from those of ${other}: ${warning.confusions} of them were mistaken.`,
      };
    }
  }
}
