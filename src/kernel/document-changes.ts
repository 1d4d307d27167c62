import { pointerTo, type Json, type JsonObject, type JsonPointer } from './json.js';

/** A value that is another in the one document than in the other: as JSON, undefined where it is not. */
export interface DocumentChange {
  readonly pointer: JsonPointer;
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/**
 * What is different between two documents, in the order of the old one and then of the new. Elements
 * of a list that have an `id` are found by it, so that a new skill does not look like a change of all
 * that come after it; their order is a value of its own. None: the documents are equal.
 */
export function documentChanges(before: Json, after: Json): readonly DocumentChange[] {
  const old = new Map(valuesOf(before, ''));
  const now = new Map(valuesOf(after, ''));
  const pointers = new Set([...old.keys(), ...now.keys()]);
  return [...pointers]
    .map((pointer) => ({ pointer, before: old.get(pointer), after: now.get(pointer) }))
    .filter((change) => change.before !== change.after);
}

/** Every value that holds no others, and empty containers, by pointer. */
function valuesOf(value: Json, pointer: JsonPointer): [pointer: JsonPointer, text: string][] {
  if (typeof value !== 'object' || value === null) return [[pointer, JSON.stringify(value)]];
  const members = isList(value) ? elementsOf(value) : Object.entries(value);
  if (members.length === 0) return pointer === '' ? [] : [[pointer, isList(value) ? '[]' : '{}']];
  const values = members.flatMap(([name, member]) => valuesOf(member, pointerTo(pointer, name)));
  if (!isList(value) || members.every(([name], index) => name === String(index))) return values;
  return [[`${pointer} (order)`, members.map(([name]) => name).join(', ')], ...values];
}

function isList(value: readonly Json[] | JsonObject): value is readonly Json[] {
  return Array.isArray(value);
}

function elementsOf(list: readonly Json[]): (readonly [name: string, element: Json])[] {
  const ids = list.map((element) =>
    typeof element === 'object' && element !== null && 'id' in element ? element['id'] : undefined,
  );
  const haveIds = ids.every((id) => typeof id === 'string') && new Set(ids).size === ids.length;
  return list.map((element, index) => [haveIds ? String(ids[index]) : String(index), element]);
}
