import { pointerTo, type Json, type JsonObject, type JsonPointer } from '../../kernel/json.js';
import { visible } from '../printable.js';

/**
 * What is different between two documents, a line for each value that is only in one of them: `-`
 * and `+`, its pointer, the value as JSON. Elements of a list that have an `id` are found by it, so
 * that a new skill does not look like a change of all that come after it; their order is a value of
 * its own. No lines: the documents are equal.
 */
export function documentChanges(before: Json, after: Json): readonly string[] {
  const old = new Map(valuesOf(before, ''));
  const now = new Map(valuesOf(after, ''));
  const lines: string[] = [];
  for (const [pointer, value] of old) {
    if (now.get(pointer) !== value) lines.push(`- ${visible(`${pointer}: ${value}`)}`);
    const successor = now.get(pointer);
    if (successor !== undefined && successor !== value) {
      lines.push(`+ ${visible(`${pointer}: ${successor}`)}`);
    }
  }
  for (const [pointer, value] of now) {
    if (!old.has(pointer)) lines.push(`+ ${visible(`${pointer}: ${value}`)}`);
  }
  return lines;
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
