import {
  patternProgram,
  reach,
  take,
  type Instruction,
  type PatternFlags,
} from './pattern-program.js';

/** Where the text that was read so far may stand in the pattern. */
interface Row {
  /** Wait for a character each; in no order that means anything. */
  readonly waiting: readonly number[];
  /** Does the text fit that ends here? */
  readonly accepts: boolean;
  /** What a character leads to, by its column; undefined until the first one comes. */
  readonly next: (Row | undefined)[];
}

/** One column for each ASCII character, and one for all others: no format tells those apart. */
const ASCII = 128;
const OTHER = '\u4e00';

/**
 * Tells whole texts that have a format, with one look-up for each character (UTF-16 code unit),
 * whatever format and text are. Rows are made when a text first needs them and kept for all texts:
 * there are no more than the pattern has, so that it is for patterns of our own and none that callers
 * write. `\b` and characters beyond ASCII it cannot tell apart.
 */
export class FormatAutomaton {
  readonly #program: readonly Instruction[];
  readonly #rows = new Map<string, Row>();
  readonly #start: Row;

  /** @throws {Error} as {@link patternProgram} */
  constructor(pattern: string, flags: PatternFlags = 'u') {
    this.#program = patternProgram(pattern, flags);
    this.#start = this.#rowOf([0], true);
  }

  fits(text: string): boolean {
    let row = this.#start;
    for (let at = 0; at < text.length; at++) {
      if (row.waiting.length === 0) return false;
      const code = text.charCodeAt(at);
      const column = code < ASCII ? code : ASCII;
      row = row.next[column] ??= this.#after(row, column);
    }
    return row.accepts;
  }

  #after({ waiting }: Row, column: number): Row {
    const character = column < ASCII ? String.fromCharCode(column) : OTHER;
    return this.#rowOf(take(this.#program, waiting, character), false);
  }

  #rowOf(states: readonly number[], isStart: boolean): Row {
    const between = reach(this.#program, states, (assertion) => isStart && assertion === '^');
    const atEnd = reach(
      this.#program,
      states,
      (assertion) => assertion === '$' || (isStart && assertion === '^'),
    );
    const { waiting } = between;
    const accepts = atEnd.isMatch;
    const key = `${accepts} ${[...waiting].sort((a, b) => a - b).join()}`;
    const known = this.#rows.get(key);
    if (known !== undefined) return known;
    const row: Row = { waiting, accepts, next: Array.from({ length: ASCII + 1 }) };
    this.#rows.set(key, row);
    return row;
  }
}
