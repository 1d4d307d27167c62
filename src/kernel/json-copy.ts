import type { Json } from './json.js';
import { err, ok, type Result } from './result.js';
import type { StrictJsonError } from './strict-json.js';

export interface JsonCopyLimits {
  /** Most characters in all texts and names. */
  readonly maxLength: number;
  /** Deepest nesting of arrays and objects. */
  readonly maxDepth: number;
  /** Most values, counted as the strict parser counts them. */
  readonly maxValues: number;
}

/** Why a value is none that JSON carries with one meaning: in the strict parser's words where it has one. */
export type NotJson =
  | 'json-no-value'
  | Extract<
      StrictJsonError['code'],
      | 'json-too-large'
      | 'json-too-deep'
      | 'json-too-many-values'
      | 'json-forbidden-name'
      | 'json-lone-surrogate'
    >;

/**
 * A copy of what somebody else made, and may go on changing: JSON that the strict parser would take.
 * Every member is looked at once, so that what is judged later is what was read here. What JSON has no
 * word for is refused where `JSON.stringify` would write something else instead of it, or nothing: a
 * function, a symbol, a big integer, NaN, a gap in a list, an object that is neither plain nor tells
 * what to write (`toJSON`, as dates do). Only a member that is undefined is none.
 */
export function jsonCopy(value: unknown, limits: JsonCopyLimits): Result<Json, NotJson> {
  try {
    return ok(new Copying(limits).copy(value, '', 0));
  } catch (error) {
    // Anything else comes out of the value itself: of a getter, a proxy, a `toJSON`.
    return err(error instanceof Refused ? error.code : 'json-no-value');
  }
}

/** Leaves the walk; nobody outside of this file sees it. */
class Refused extends Error {
  constructor(readonly code: NotJson) {
    super(code);
  }
}

class Copying {
  #length = 0;
  #values = 0;

  constructor(private readonly limits: JsonCopyLimits) {}

  /** @param name under which its parent holds the value: what a `toJSON` is given */
  copy(value: unknown, name: string, depth: number): Json {
    this.#count();
    switch (typeof value) {
      case 'string':
        return this.#text(value);
      case 'number':
        if (!Number.isFinite(value)) throw new Refused('json-no-value');
        // JSON writes -0 as 0.
        return value === 0 ? 0 : value;
      case 'boolean':
        return value;
      case 'object':
        return value === null ? null : this.#container(told(value, name), depth);
      case 'bigint':
      case 'symbol':
      case 'undefined':
      case 'function':
        throw new Refused('json-no-value');
    }
  }

  #container(value: unknown, depth: number): Json {
    if (typeof value === 'string') return this.#text(value);
    if (typeof value !== 'object' || value === null) throw new Refused('json-no-value');
    if (depth >= this.limits.maxDepth) throw new Refused('json-too-deep');
    return Array.isArray(value)
      ? this.#array(value, depth + 1)
      : this.#object(value as Readonly<Record<string, unknown>>, depth + 1);
  }

  #array(values: readonly unknown[], depth: number): Json {
    const { length } = values;
    if (length === 0) this.#count();
    const copies: Json[] = [];
    for (let i = 0; i < length; i++) copies.push(this.copy(values[i], String(i), depth));
    return copies;
  }

  #object(object: Readonly<Record<string, unknown>>, depth: number): Json {
    if (!isPlain(object)) throw new Refused('json-no-value');
    const copies: Record<string, Json> = {};
    let isEmpty = true;
    for (const name of Object.keys(object)) {
      const member = object[name];
      if (member === undefined) continue;
      if (name === '__proto__') throw new Refused('json-forbidden-name');
      copies[this.#text(name)] = this.copy(member, name, depth);
      isEmpty = false;
    }
    if (isEmpty) this.#count();
    return copies;
  }

  #text(text: string): string {
    this.#length += text.length;
    if (this.#length > this.limits.maxLength) throw new Refused('json-too-large');
    if (!text.isWellFormed()) throw new Refused('json-lone-surrogate');
    return text;
  }

  #count(): void {
    if (++this.#values > this.limits.maxValues) throw new Refused('json-too-many-values');
  }
}

/** What an object says is to be written for it; itself when it says nothing of that. */
function told(value: object, name: string): unknown {
  const { toJSON } = value as { readonly toJSON?: unknown };
  // Called as its method, as `JSON.stringify` does.
  return typeof toJSON === 'function' ? (Reflect.apply(toJSON, value, [name]) as unknown) : value;
}

/**
 * Of a class or of none. A map, a promise, an error, a boxed text or the bytes of a buffer say that they
 * are something else, and their members are not what they hold.
 */
function isPlain(object: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(object);
  if (prototype === Object.prototype || prototype === null) return true;
  return Object.prototype.toString.call(object) === '[object Object]';
}
