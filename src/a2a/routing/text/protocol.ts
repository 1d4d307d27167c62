import type { AgentId, SkillId } from '../../../kernel/ids.js';
import type { SkillTexts, SkillWarning, TextVerdict } from '../text-classifier.js';

/** What the worker is started with. */
export interface WorkerSettings {
  /** Without the encoder, words alone decide. */
  readonly encoder: boolean;
}

/** What the worker is asked. */
export type Question =
  | { readonly ask: 'learn'; readonly agentId: AgentId; readonly skills: readonly SkillTexts[] }
  | {
      readonly ask: 'classify';
      readonly agentId: AgentId;
      readonly text: string;
      readonly candidates: readonly SkillId[];
    }
  | { readonly ask: 'warnings'; readonly agentId: AgentId }
  /** Answered when nothing more is to be refined. */
  | { readonly ask: 'settle'; readonly agentId: AgentId };

/** What it answers. */
export interface Answers {
  readonly learn: undefined;
  readonly classify: TextVerdict;
  readonly warnings: readonly SkillWarning[];
  readonly settle: undefined;
}

export interface NumberedQuestion {
  readonly id: number;
  readonly question: Question;
}

export interface NumberedAnswer {
  readonly id: number;
  readonly answer: Answers[Question['ask']];
}
