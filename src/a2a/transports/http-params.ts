import { isObject, type Json, type JsonObject } from '../../kernel/json.js';
import type { Fault } from '../../kernel/rejection.js';
import { err, ok, type Result } from '../../kernel/result.js';
import { spellings } from '../wire/message-shape.js';
import type { A2aRefusal } from '../wire/refusal.js';

/** Path parameters, by the `camelCase` names of their fields. */
type Path = Readonly<Record<string, string>>;

/** The params of a POST: its body, and what the path says. The body may repeat that, not contradict it. */
export function fromBody(body: unknown, path: Path): Result<Json, A2aRefusal> {
  const sent = (body ?? {}) as Json;
  if (!isObject(sent)) return ok(sent);
  const ofPath = new Map(
    Object.entries(path).flatMap(([name, value]) => spellings(name).map((each) => [each, value])),
  );
  const faults: Fault[] = [];
  const params: Record<string, Json> = { ...path };
  for (const [name, value] of Object.entries(sent)) {
    const expected = ofPath.get(name);
    if (expected === undefined) params[name] = value;
    else if (value !== expected && value !== null && value !== '') {
      faults.push({ pointer: `/${name}`, detail: 'differs from the address' });
    }
  }
  if (faults.length === 0) return ok(params);
  return err({ error: 'InvalidParams', detail: 'Body and address contradict each other.', faults });
}

/** The params of a request without a body: its query, and what the path says. */
export function fromQuery(query: unknown, path: Path): Result<Json, A2aRefusal> {
  return fromBody(typed(query as JsonObject), path);
}

/** Everything in a query is text: what a field of another type says must be made it. */
function typed(query: JsonObject): JsonObject {
  const params: Record<string, Json> = { ...query };
  for (const name of spellings('includeArtifacts')) {
    const value = params[name];
    if (value === 'true' || value === 'false') params[name] = value === 'true';
  }
  return params;
}
