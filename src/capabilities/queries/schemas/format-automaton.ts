import { patternProgram, type Instruction, type PatternFlags } from './pattern-program.js';

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
    const takers = waiting.filter((state) => {
      const instruction = this.#program[state];
      return (
        typeof instruction === 'object' &&
        'takes' in instruction &&
        instruction.takes.test(character)
      );
    });
    return this.#rowOf(
      takers.map((state) => state + 1),
      false,
    );
  }

  #rowOf(states: readonly number[], isStart: boolean): Row {
    const { waiting } = this.#reach(states, { isStart, isEnd: false });
    const { accepts } = this.#reach(states, { isStart, isEnd: true });
    const key = `${accepts} ${[...waiting].sort((a, b) => a - b).join()}`;
    const known = this.#rows.get(key);
    if (known !== undefined) return known;
    const row: Row = { waiting, accepts, next: Array.from({ length: ASCII + 1 }) };
    this.#rows.set(key, row);
    return row;
  }

  /** What happens between two characters, and before the first and after the last one. */
  #reach(
    from: readonly number[],
    place: { readonly isStart: boolean; readonly isEnd: boolean },
  ): Pick<Row, 'waiting' | 'accepts'> {
    const pending = [...from];
    const seen = new Set<number>();
    const waiting: number[] = [];
    let accepts = false;
    for (let state = pending.pop(); state !== undefined; state = pending.pop()) {
      if (seen.has(state)) continue;
      seen.add(state);
      const instruction = this.#program[state];
      if (instruction === undefined || instruction === 'match') accepts = true;
      else if ('takes' in instruction) waiting.push(state);
      else if ('goesTo' in instruction) pending.push(...instruction.goesTo);
      else if (
        (instruction.asserts === '^' && place.isStart) ||
        (instruction.asserts === '$' && place.isEnd)
      ) {
        pending.push(state + 1);
      }
    }
    return { waiting, accepts };
  }
}
