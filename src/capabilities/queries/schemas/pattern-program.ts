/** Patterns that grow beyond it, by their counts, are not taken. */
const MAX_INSTRUCTIONS = 2_000;

export type Assertion = '^' | '$' | '\\b' | '\\B';

/** What a state does: takes one character, goes on in several places, looks at where it is, or ends. */
export type Instruction =
  | { readonly takes: RegExp }
  | { readonly goesTo: readonly number[] }
  | { readonly asserts: Assertion }
  | 'match';

const ESCAPE =
  /\\(?:u\{[0-9a-f]+\}|ud[89ab][0-9a-f]{2}\\ud[c-f][0-9a-f]{2}|u[0-9a-f]{4}|x[0-9a-f]{2}|c[a-z]|p\{[^}]*\}|[^])/iuy;
const CHARACTER_CLASS = /\[(?:\\[^]|[^\]\\])*\]/uy;
const GROUP = /\((?:\?:|\?<[^=!][^>]*>)?/uy;
const QUANTIFIER = /(?:[*+?]|\{(\d+)(?:(,)(\d*))?\})\??/uy;
const CHARACTER = /[^]/uy;

/** How a pattern is read: as ECMA-262 says of these flags. */
export type PatternFlags = 'u' | 'iu';

/**
 * The states of Thompson's automaton for a pattern; every atom stays a regular expression of one
 * character.
 *
 * @throws {SyntaxError} when it is no pattern
 * @throws {Error} when no automaton can do it (references to groups, looking around), or it is too large
 */
export function patternProgram(pattern: string, flags: PatternFlags = 'u'): readonly Instruction[] {
  // What follows may rely on its syntax.
  new RegExp(pattern, flags);
  return new Compiler(pattern, flags).compile();
}

/** Where all ways through a program stand between two characters. */
export interface Reached {
  /** The states that wait for a character. */
  readonly waiting: readonly number[];
  /** One of the ways is at its end. */
  readonly isMatch: boolean;
  /** States that were looked at. */
  readonly visited: number;
}

/** Follows everything that takes no character, each state once. */
export function reach(
  program: readonly Instruction[],
  from: readonly number[],
  holds: (assertion: Assertion) => boolean,
): Reached {
  const pending = [...from];
  const seen = new Set<number>();
  const waiting: number[] = [];
  let isMatch = false;
  for (let state = pending.pop(); state !== undefined; state = pending.pop()) {
    if (seen.has(state)) continue;
    seen.add(state);
    const instruction = program[state];
    if (instruction === undefined || instruction === 'match') isMatch = true;
    else if ('takes' in instruction) waiting.push(state);
    else if ('goesTo' in instruction) pending.push(...instruction.goesTo);
    else if (holds(instruction.asserts)) pending.push(state + 1);
  }
  return { waiting, isMatch, visited: seen.size };
}

/** The states behind those that wait for a character and take this one. */
export function take(
  program: readonly Instruction[],
  waiting: readonly number[],
  character: string,
): readonly number[] {
  return waiting
    .filter((state) => {
      const instruction = program[state];
      return (
        typeof instruction === 'object' &&
        'takes' in instruction &&
        instruction.takes.test(character)
      );
    })
    .map((state) => state + 1);
}

class Compiler {
  #at = 0;
  #program: Instruction[] = [];

  constructor(
    private readonly pattern: string,
    private readonly flags: PatternFlags,
  ) {}

  compile(): readonly Instruction[] {
    this.#alternatives();
    this.#emit('match');
    return this.#program;
  }

  /** Each begins with a fork to itself and to the next one, and ends with a jump to the end of all. */
  #alternatives(): void {
    const ends: number[] = [];
    for (;;) {
      const fork = this.#emit({ goesTo: [] });
      this.#sequence();
      if (this.pattern[this.#at] !== '|') {
        this.#lead(fork, fork + 1);
        break;
      }
      this.#at++;
      ends.push(this.#emit({ goesTo: [] }));
      this.#lead(fork, fork + 1, this.#program.length);
    }
    for (const end of ends) this.#lead(end, this.#program.length);
  }

  #sequence(): void {
    while (this.#at < this.pattern.length && !'|)'.includes(this.pattern.charAt(this.#at))) {
      const start = this.#program.length;
      this.#atom();
      const quantifier = this.#take(QUANTIFIER);
      if (quantifier !== undefined) this.#repeat(start, boundsOf(quantifier));
    }
  }

  /**
   * `{2,4}` is two copies and two more that may be left out; `{2,}` two and a loop.
   * @param start of what was read last: what is to be repeated
   */
  #repeat(start: number, [min, max]: readonly [number, number]): void {
    const body = this.#program.slice(start);
    this.#program = this.#program.slice(0, start);
    if (body.length === 0) return;
    for (let count = 0; count < min; count++) this.#copy(body, start);
    if (max === Infinity) {
      const loop = this.#emit({ goesTo: [] });
      this.#copy(body, start);
      this.#emit({ goesTo: [loop] });
      this.#lead(loop, loop + 1, this.#program.length);
      return;
    }
    const forks: number[] = [];
    for (let count = min; count < max; count++) {
      forks.push(this.#emit({ goesTo: [] }));
      this.#copy(body, start);
    }
    for (const fork of forks) this.#lead(fork, fork + 1, this.#program.length);
  }

  /** @param start where its states stood when they were made */
  #copy(body: readonly Instruction[], start: number): void {
    const distance = this.#program.length - start;
    for (const instruction of body) {
      const moves = typeof instruction === 'object' && 'goesTo' in instruction;
      this.#emit(moves ? { goesTo: instruction.goesTo.map((to) => to + distance) } : instruction);
    }
  }

  #atom(): void {
    const character = this.pattern.charAt(this.#at);
    if (character === '(') this.#group();
    else if (character === '^' || character === '$') {
      this.#at++;
      this.#emit({ asserts: character });
    } else if (character === '\\') this.#escape();
    else {
      const [atom = ''] = this.#take(character === '[' ? CHARACTER_CLASS : CHARACTER) ?? [];
      this.#emit({ takes: single(atom, this.flags) });
    }
  }

  #group(): void {
    const [open = ''] = this.#take(GROUP) ?? [];
    if (open === '(' && this.pattern[this.#at] === '?') throw new Error('looks around itself');
    this.#alternatives();
    // Its closing parenthesis.
    this.#at++;
  }

  #escape(): void {
    const [escape = ''] = this.#take(ESCAPE) ?? [];
    if (/^\\[1-9k]/.test(escape)) throw new Error('refers to a group of its own');
    if (escape === '\\b' || escape === '\\B') this.#emit({ asserts: escape });
    else this.#emit({ takes: single(escape, this.flags) });
  }

  #take(token: RegExp): RegExpExecArray | undefined {
    token.lastIndex = this.#at;
    const found = token.exec(this.pattern);
    if (found !== null) this.#at += found[0].length;
    return found ?? undefined;
  }

  /** Answers the number of the new state. */
  #emit(instruction: Instruction): number {
    if (this.#program.length >= MAX_INSTRUCTIONS) throw new Error('is too large');
    return this.#program.push(instruction) - 1;
  }

  #lead(from: number, ...goesTo: readonly number[]): void {
    this.#program[from] = { goesTo };
  }
}

function single(atom: string, flags: PatternFlags): RegExp {
  return new RegExp(`^(?:${atom})$`, flags);
}

function boundsOf([quantifier, min, comma, max]: RegExpExecArray): readonly [number, number] {
  if (min === undefined) {
    return [quantifier.startsWith('+') ? 1 : 0, quantifier.startsWith('?') ? 1 : Infinity];
  }
  if (comma === undefined) return [Number(min), Number(min)];
  return [Number(min), max === undefined || max === '' ? Infinity : Number(max)];
}
