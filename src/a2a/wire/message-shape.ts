import { isObject, type Json } from '../../kernel/json.js';
import { FAULTY, type Faulty, type Read, type Reading } from './reading.js';

export interface Field<T> {
  readonly read: Read<T>;
  readonly isRequired: boolean;
  /** Null is a value of it: `google.protobuf.Value` alone. Elsewhere null is absent. */
  readonly keepsNull: boolean;
}

export function required<T>(read: Read<T>): Field<T> {
  return { read, isRequired: true, keepsNull: false };
}

export function optional<T>(read: Read<T>): Field<T> {
  return { read, isRequired: false, keepsNull: false };
}

export function nullable<T>(read: Read<T>): Field<T> {
  return { read, isRequired: false, keepsNull: true };
}

/** A reader for every member of T, forgotten ones do not compile. */
export type Fields<T> = {
  readonly [Name in keyof Required<T>]: Field<Exclude<T[Name], undefined>>;
};

/** A rule between the members of a message. */
export type Rule<T> = (value: T, reading: Reading) => Faulty | undefined;

/**
 * A protobuf message in ProtoJSON: members by their `camelCase` name or by the proto file's
 * `snake_case` one, never both; null ones are absent, unknown ones are ignored, so that what is read
 * holds the known members alone.
 * @param rule asked only when each member is well-formed
 */
export function message<T extends object>(fields: Fields<T>, rule?: Rule<T>): Read<T> {
  const known = new Map<string, [string, Field<unknown>]>();
  const mandatory: string[] = [];
  for (const [name, field] of Object.entries<Field<unknown>>(fields)) {
    for (const spelling of spellings(name)) known.set(spelling, [name, field]);
    if (field.isRequired) mandatory.push(name);
  }
  return (value, reading) => {
    if (!isObject(value)) return reading.fault('must be an object');
    const result: Record<string, unknown> = {};
    let isFaulty = false;
    for (const sentName of Object.keys(value)) {
      const [name, field] = known.get(sentName) ?? [];
      const sent = value[sentName];
      if (name === undefined || field === undefined || sent === undefined) continue;
      if (sent === null && !field.keepsNull) continue;
      reading.enter(sentName);
      const read = Object.hasOwn(result, name)
        ? reading.fault('is given under two spellings of its name')
        : field.read(sent, reading);
      reading.leave();
      if (read !== undefined) result[name] = read;
      isFaulty ||= read === FAULTY;
    }
    for (const name of mandatory) {
      if (Object.hasOwn(result, name)) continue;
      reading.faultAt([name], 'is missing or empty');
      isFaulty = true;
    }
    if (isFaulty || rule?.(result as T, reading) === FAULTY) return FAULTY;
    return result as T;
  };
}

/** A repeated field: an empty one is absent. */
export function list<T>(read: Read<T>, maxCount: number): Read<readonly T[]> {
  return (value: Json, reading) => {
    if (!Array.isArray(value)) return reading.fault('must be an array');
    if (value.length === 0) return undefined;
    if (value.length > maxCount) {
      return reading.fault(`must have at most ${String(maxCount)} elements`);
    }
    const result: T[] = [];
    for (const [index, element] of (value as readonly Json[]).entries()) {
      reading.enter(index);
      const item = read(element, reading) ?? reading.fault('must not be empty');
      reading.leave();
      if (item !== FAULTY) result.push(item);
    }
    return result.length === value.length ? result : FAULTY;
  };
}

/** The names under which ProtoJSON takes a field: its JSON name and that of the proto file. */
export function spellings(name: string): readonly string[] {
  const snakeCase = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return snakeCase === name ? [name] : [name, snakeCase];
}
