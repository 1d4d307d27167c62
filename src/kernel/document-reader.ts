import { hasAtMostCharacters } from './characters.js';
import { pointerTo, type JsonPointer } from './json.js';
import type { Fault } from './rejection.js';

/** More would help nobody; an honest document has few. */
const MAX_FAULTS = 100;

/** Everything that is wrong with a document, in the order in which it was found. */
export class Faults {
  readonly #found: Fault[] = [];

  /** Null, for whoever has nothing else to answer. */
  add(pointer: JsonPointer, detail: string): null {
    if (this.#found.length < MAX_FAULTS) this.#found.push({ pointer, detail });
    return null;
  }

  get all(): readonly Fault[] {
    return this.#found;
  }
}

/** Reads one value; null once it has told the faults of it. */
export type Reads<T> = (value: unknown, pointer: JsonPointer, faults: Faults) => T | null;

/** Reads the members of an object one by one; what nobody asked for is a fault in the end. */
export class MemberReader {
  readonly #members: ReadonlyMap<string, unknown>;
  readonly #unread: Set<string>;

  constructor(
    value: unknown,
    private readonly pointer: JsonPointer,
    private readonly faults: Faults,
  ) {
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    if (!isObject) faults.add(pointer, 'must be an object');
    this.#members = new Map(isObject ? Object.entries(value) : []);
    this.#unread = new Set(this.#members.keys());
    this.isObject = isObject;
  }

  /** False: that alone is reported, and not each member that it lacks. */
  readonly isObject: boolean;

  required<T>(name: string, reads: Reads<T>): T | null {
    this.#unread.delete(name);
    const at = pointerTo(this.pointer, name);
    if (this.#members.has(name)) return reads(this.#members.get(name), at, this.faults);
    return this.isObject ? this.faults.add(at, 'is missing') : null;
  }

  optional<T, F>(name: string, reads: Reads<T>, fallback: F): T | F | null {
    return this.#members.has(name) ? this.required(name, reads) : fallback;
  }

  end(): void {
    for (const name of this.#unread) {
      this.faults.add(pointerTo(this.pointer, name), 'is not a documented member');
    }
  }
}

/** A text of 1 to `max` characters; `parse` gives it its type, or undefined when it is none. */
export function text<T = string>(
  max: number,
  description: string,
  parse: (text: string) => T | undefined,
): Reads<T> {
  return (value, pointer, faults) => {
    const parsed =
      typeof value === 'string' &&
      value !== '' &&
      hasAtMostCharacters(value, max) &&
      value.isWellFormed()
        ? parse(value)
        : undefined;
    return parsed ?? faults.add(pointer, `must be ${description}`);
  };
}

/** At least one character that can be seen, and no control characters but those of `allowed`. */
export function prose(max: number, allowed: 'one-line' | 'lines'): Reads<string> {
  const kind = allowed === 'one-line' ? 'a text without line breaks' : 'a text';
  return text(max, `${kind} of 1 to ${max} characters`, (value) => {
    const rest = allowed === 'lines' ? value.replace(/[\t\n\r]/g, ' ') : value;
    return rest.trim() !== '' && !/\p{Cc}/u.test(rest) ? value : undefined;
  });
}

/** One of the given texts, to the letter. */
export function oneOf<T extends string>(...choices: readonly T[]): Reads<T> {
  return (value, pointer, faults) =>
    choices.find((choice) => choice === value) ??
    faults.add(pointer, `must be one of ${choices.join(', ')}`);
}

/** `true` or `false`, and nothing that could stand for them. */
export const flag: Reads<boolean> = (value, pointer, faults) =>
  typeof value === 'boolean' ? value : faults.add(pointer, 'must be true or false');

/** A list of different entries, each read by itself. */
export function list(
  reads: Reads<string>,
  bounds: readonly [min: number, max: number],
): Reads<readonly string[]> {
  const [min, max] = bounds;
  return (value, pointer, faults) => {
    if (!Array.isArray(value) || value.length < min || value.length > max) {
      return faults.add(pointer, `must be a list of ${min} to ${max} entries`);
    }
    const entries = new Set<string>();
    for (const [index, item] of (value as unknown[]).entries()) {
      const entry = reads(item, pointerTo(pointer, index), faults);
      if (entry === null) continue;
      if (entries.has(entry)) faults.add(pointerTo(pointer, index), 'repeats an earlier entry');
      entries.add(entry);
    }
    return [...entries];
  };
}
