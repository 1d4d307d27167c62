import type { AgentId, SkillId } from '../../../src/kernel/ids.js';
import type {
  SkillTexts,
  SkillWarning,
  TextClassifier,
  TextVerdict,
} from '../../../src/a2a/routing/text-classifier.js';

/** Counts common words: enough to tell texts apart that share none. */
export class WordClassifier implements TextClassifier {
  readonly #skills = new Map<AgentId, readonly SkillTexts[]>();
  /** Texts that were classified, with the candidates. */
  readonly asked: { readonly text: string; readonly candidates: readonly SkillId[] }[] = [];
  readonly warningsOf: SkillWarning[] = [];
  learnt = 0;

  async learn(agentId: AgentId, skills: readonly SkillTexts[]): Promise<void> {
    this.learnt += 1;
    this.#skills.set(agentId, skills);
  }

  async classify(
    agentId: AgentId,
    text: string,
    candidates: readonly SkillId[],
  ): Promise<TextVerdict> {
    this.asked.push({ text, candidates });
    const wanted = wordsOf(text);
    const scores = (this.#skills.get(agentId) ?? []).map((skill) => ({
      skillId: skill.skillId,
      score: common(wanted, wordsOf(textOf(skill))),
    }));
    const best = Math.max(0, ...scores.map(({ score }) => score));
    const among = scores.filter(({ skillId }) => candidates.includes(skillId));
    const total = among.reduce((sum, { score }) => sum + score, 0);
    const ranked = among
      .map(({ skillId, score }) => ({ skillId, confidence: total === 0 ? 0 : score / total }))
      .sort((a, b) => b.confidence - a.confidence)
      .slice(0, 5);
    return { ranked, foreign: best > 0 && !among.some(({ score }) => score === best) };
  }

  async warnings(): Promise<readonly SkillWarning[]> {
    return this.warningsOf;
  }

  async close(): Promise<void> {
    this.#skills.clear();
  }
}

function textOf({ name, description, tags, examples }: SkillTexts): string {
  return [name, description, ...tags, ...examples].join(' ');
}

function wordsOf(text: string): ReadonlySet<string> {
  return new Set(text.toLowerCase().match(/[a-z]{4,}/g) ?? []);
}

function common(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  return [...a].filter((word) => b.has(word)).length;
}
