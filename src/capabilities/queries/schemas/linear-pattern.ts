import { patternProgram, type Assertion, type Instruction } from './pattern-program.js';
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
    const characters = [...text];
    let states: readonly number[] = [];
    for (let at = 0; at <= characters.length; at++) {
      // It may begin at any character.
      const reached = this.#reach([0, ...states], characters, at);
      if (reached === 'match') return true;
      const character = characters[at];
      if (character === undefined) return false;
      states = reached.filter((state) => this.#takes(state, character)).map((state) => state + 1);
    }
    return false;
  }

  /** Ajv knows patterns apart by it. */
  toString(): string {
    return `/${this.pattern}/u`;
  }

  /** The states that wait for a character, after everything that happens between two of them. */
  #reach(
    from: readonly number[],
    text: readonly string[],
    at: number,
  ): readonly number[] | 'match' {
    const pending = [...from];
    const seen = new Set<number>();
    const waiting: number[] = [];
    for (let state = pending.pop(); state !== undefined; state = pending.pop()) {
      if (seen.has(state)) continue;
      seen.add(state);
      const instruction = this.#program[state];
      if (instruction === undefined || instruction === 'match') return 'match';
      if ('takes' in instruction) waiting.push(state);
      else if ('goesTo' in instruction) pending.push(...instruction.goesTo);
      else if (this.#holds(instruction.asserts, text, at)) pending.push(state + 1);
    }
    this.budget.spend(seen.size);
    return waiting;
  }

  #takes(state: number, character: string): boolean {
    const instruction = this.#program[state];
    return typeof instruction === 'object' && 'takes' in instruction
      ? instruction.takes.test(character)
      : false;
  }

  #holds(assertion: Assertion, text: readonly string[], at: number): boolean {
    if (assertion === '^') return at === 0;
    if (assertion === '$') return at === text.length;
    const isBoundary = this.#isWord.test(text[at - 1] ?? '') !== this.#isWord.test(text[at] ?? '');
    return isBoundary === (assertion === '\\b');
  }
}
