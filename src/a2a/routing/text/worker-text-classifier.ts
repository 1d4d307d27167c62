import { createHash } from 'node:crypto';
import { FairTurns, type TurnHolder } from '../../../kernel/fair-turns.js';
import type { AgentId, SkillId } from '../../../kernel/ids.js';
import type { SkillTexts, SkillWarning, TextClassifier, TextVerdict } from '../text-classifier.js';
import { MAX_TEXT_LENGTH } from './learned-skills.js';
import type { WorkerSettings } from './protocol.js';
import { WorkerEnded, WorkerThread } from './worker-thread.js';

/** Nothing is known: whoever asks has to ask the caller back. */
const NOTHING: TextVerdict = { ranked: [], foreign: false };
/** Of whoever asks in nobody's name: measurements. */
const NOBODY: TurnHolder = { tenant: '', caller: '' };
/** Longer than any answer takes; what takes longer is as good as no answer. */
const PATIENCE_MS = 2_000;
/** Texts that the thread has at once: whoever's turn is next waits for no more of them. */
const AT_ONCE = 1;
/** Texts that wait for their turn at once; more would wait longer than anyone does. */
const MAX_WAITING = 256;
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 30_000;
/** A thread that ran so long did not end for what it was taught. */
const HEALTHY_MS = 60_000;

export interface TextClassifierSettings extends WorkerSettings {
  /** Told each time the thread ended by itself, with the error if there was one. */
  readonly onFailure: (error: unknown) => void;
}

interface Lesson {
  readonly skills: readonly SkillTexts[];
  readonly fingerprint: string;
  readonly done: Promise<void>;
}

/**
 * The text classifier in a thread of its own, started with the first lesson. Nothing here throws
 * for what happens there: while the thread is gone, late or overrun, verdicts are empty; it is
 * started again after a pause that doubles, and learns again what it had learned.
 */
export class WorkerTextClassifier implements TextClassifier {
  readonly #turns = new FairTurns(AT_ONCE, MAX_WAITING);
  readonly #lessons = new Map<AgentId, Lesson>();
  #thread: WorkerThread | undefined;
  #restart: NodeJS.Timeout | undefined;
  #pause = FIRST_PAUSE_MS;
  #isClosed = false;

  constructor(private readonly settings: TextClassifierSettings) {}

  learn(agentId: AgentId, skills: readonly SkillTexts[]): Promise<void> {
    const known = this.#lessons.get(agentId);
    if (known?.skills === skills) return known.done;
    const fingerprint = createHash('sha256').update(JSON.stringify(skills)).digest('base64');
    if (known?.fingerprint === fingerprint) return known.done;
    if (this.#isClosed) return Promise.resolve();
    const done = this.#teach(agentId, skills);
    this.#lessons.set(agentId, { skills, fingerprint, done });
    return done;
  }

  async classify(
    agentId: AgentId,
    text: string,
    candidates: readonly SkillId[],
    holder: TurnHolder = NOBODY,
  ): Promise<TextVerdict> {
    if (candidates.length === 0 || text.trim() === '') return NOTHING;
    if (this.#thread === undefined) return NOTHING;
    const question = { ask: 'classify', agentId, candidates } as const;
    const short = { ...question, text: text.slice(0, MAX_TEXT_LENGTH) };
    const impatience = new AbortController();
    const verdict = this.#inTurn(holder, impatience.signal, (thread) => thread.ask(short));
    return await inTime(orElse(NOTHING, verdict), NOTHING, () => impatience.abort());
  }

  /** Whoever is out of patience, or finds too many waiting, has no turn. */
  async #inTurn(
    holder: TurnHolder,
    signal: AbortSignal,
    ask: (thread: WorkerThread) => Promise<TextVerdict>,
  ): Promise<TextVerdict> {
    if (!(await this.#turns.begin(holder, signal))) return NOTHING;
    try {
      return this.#thread === undefined ? NOTHING : await ask(this.#thread);
    } finally {
      this.#turns.end();
    }
  }

  async warnings(agentId: AgentId): Promise<readonly SkillWarning[]> {
    if (this.#thread === undefined) return [];
    return await orElse([], inTime(this.#thread.ask({ ask: 'warnings', agentId }), []));
  }

  /** Resolves when refinement has caught up with the last lesson, or the thread is gone. */
  async settled(agentId: AgentId): Promise<void> {
    await this.#lessons.get(agentId)?.done;
    await orElse(undefined, this.#thread?.ask({ ask: 'settle', agentId }) ?? Promise.resolve());
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#restart);
    await this.#thread?.end();
  }

  #teach(agentId: AgentId, skills: readonly SkillTexts[]): Promise<void> {
    // Before a restart: the thread will be taught all lessons then.
    if (this.#restart !== undefined) return Promise.resolve();
    this.#thread ??= this.#start();
    return orElse(undefined, this.#thread.ask({ ask: 'learn', agentId, skills }));
  }

  #start(): WorkerThread {
    const started = performance.now();
    const thread: WorkerThread = new WorkerThread({ encoder: this.settings.encoder }, () => {
      this.#thread = undefined;
      if (performance.now() - started > HEALTHY_MS) this.#pause = FIRST_PAUSE_MS;
      if (this.#isClosed) return;
      this.settings.onFailure(thread.failure);
      this.#restart = setTimeout(() => this.#startAgain(), this.#pause).unref();
      this.#pause = Math.min(this.#pause * 2, LONGEST_PAUSE_MS);
    });
    return thread;
  }

  #startAgain(): void {
    this.#restart = undefined;
    this.#thread = this.#start();
    for (const [agentId, lesson] of this.#lessons) {
      const done = this.#teach(agentId, lesson.skills);
      this.#lessons.set(agentId, { ...lesson, done });
    }
  }
}

/** The answer, or `otherwise` when the thread ended before it came. */
async function orElse<Answer>(otherwise: Answer, answer: Promise<Answer>): Promise<Answer> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof WorkerEnded) return otherwise;
    throw error;
  }
}

async function inTime<Answer>(
  answer: Promise<Answer>,
  otherwise: Answer,
  onLate: () => void = () => undefined,
): Promise<Answer> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Answer>((resolve) => {
    timer = setTimeout(() => {
      resolve(otherwise);
      onLate();
    }, PATIENCE_MS);
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}
