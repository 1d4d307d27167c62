import type { AgentId, InteractionId } from '../../kernel/ids.js';
import { letOthersRun } from '../../threads/let-others-run.js';
import type { ContractsOfPair, InteractionSnapshot } from '../queries/contracts-between.js';
import { areParties } from './pairs.js';

/** `unreadable`: an event of it cannot be read, which may be mended. */
type InteractionReader = (
  id: InteractionId,
) => Promise<InteractionSnapshot | undefined | 'unreadable'>;

/** Active contracts of one pair that are still looked at. */
export const MAX_CONTRACTS = 20_000;

/** Interactions that are folded in one go: some milliseconds, after which others get their turn. */
const FOLDS_PER_TURN = 16;

/** The contracts of two agents, folded; kept current by whoever says what has been touched. */
export class PairFolds {
  readonly #active = new Map<InteractionId, InteractionSnapshot>();
  /** Touched since they were last folded. */
  readonly #due: Set<InteractionId>;
  readonly #unreadable = new Set<InteractionId>();
  #folding: Promise<void> | undefined;
  #answer: ContractsOfPair | undefined;

  /** @param candidates all that may be active at the time of the call */
  constructor(
    private readonly one: AgentId,
    private readonly other: AgentId,
    candidates: Iterable<InteractionId>,
    private hadAny: boolean,
    private readonly read: InteractionReader,
  ) {
    this.#due = new Set(candidates);
  }

  /** How many interactions it holds, or is going to. */
  get size(): number {
    return Math.max(this.#active.size, this.#due.size);
  }

  touch(id: InteractionId): void {
    this.#due.add(id);
  }

  /** With everything that was touched before the call. The same object as long as nothing changed. */
  async contracts(): Promise<ContractsOfPair> {
    for (const id of this.#unreadable) this.#due.add(id);
    while (this.#due.size > 0 || this.#folding !== undefined) {
      this.#folding ??= this.#fold().finally(() => {
        this.#folding = undefined;
      });
      await this.#folding;
    }
    return (this.#answer ??= {
      active: [...this.#active.values()],
      hadAny: this.hadAny,
      isReliable: this.#unreadable.size === 0 && this.#active.size <= MAX_CONTRACTS,
    });
  }

  async #fold(): Promise<void> {
    let folded = 0;
    for (const id of this.#due) {
      if (++folded % FOLDS_PER_TURN === 0) await letOthersRun();
      // Before it is read: an event that comes meanwhile makes it due again.
      this.#due.delete(id);
      try {
        this.#note(id, await this.read(id));
      } catch (error) {
        this.#due.add(id);
        throw error;
      }
    }
  }

  #note(id: InteractionId, read: InteractionSnapshot | undefined | 'unreadable'): void {
    if (read === 'unreadable') {
      if (!this.#unreadable.has(id)) this.#answer = undefined;
      this.#unreadable.add(id);
      return;
    }
    if (this.#unreadable.delete(id)) this.#answer = undefined;
    if (read === undefined || !areParties(read.interaction.parties, this.one, this.other)) return;
    if (read.interaction.inForce !== null && !this.hadAny) {
      this.hadAny = true;
      this.#answer = undefined;
    }
    if (read.interaction.status !== 'active') {
      if (this.#active.delete(id)) this.#answer = undefined;
    } else if (this.#active.get(id)?.streamRevision !== read.streamRevision) {
      this.#active.set(id, read);
      this.#answer = undefined;
    }
  }
}
