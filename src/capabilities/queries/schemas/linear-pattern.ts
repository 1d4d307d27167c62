import {
  patternProgram,
  reach,
  take,
  type Assertion,
  type Instruction,
} from './pattern-program.js';
import type { WorkBudget } from './work-budget.js';

/**
 * A pattern that is matched in time proportional to the text's length, whatever pattern it is: all
 * ways through it are followed at once, none is ever gone back on.
 */
export class LinearPattern {
  readonly #program: readonly Instruction[];
  readonly #isWord = /^\w$/;

  /**
   * @param budget of whoever asks: a state that is visited is a step
   * @throws {Error} as {@link patternProgram}
   */
  constructor(
    private readonly pattern: string,
    private readonly budget: WorkBudget,
  ) {
    this.#program = patternProgram(pattern);
  }

  /** Does it match anywhere in the text? */
  test(text: string): boolean {
    // To take it apart costs time, too: an eighth of what it costs to visit a state.
    this.budget.spend(text.length / 8);
    const characters = [...text];
    let states: readonly number[] = [];
    for (let at = 0; at <= characters.length; at++) {
      // It may begin at any character.
      const { waiting, isMatch, visited } = reach(this.#program, [0, ...states], (assertion) =>
        this.#holds(assertion, characters, at),
      );
      if (isMatch) return true;
      this.budget.spend(visited);
      const character = characters[at];
      if (character === undefined) return false;
      states = take(this.#program, waiting, character);
    }
    return false;
  }

  /** Ajv knows patterns apart by it. */
  toString(): string {
    return `/${this.pattern}/u`;
  }

  #holds(assertion: Assertion, text: readonly string[], at: number): boolean {
    if (assertion === '^') return at === 0;
    if (assertion === '$') return at === text.length;
    const isBoundary = this.#isWord.test(text[at - 1] ?? '') !== this.#isWord.test(text[at] ?? '');
    return isBoundary === (assertion === '\\b');
  }
}
