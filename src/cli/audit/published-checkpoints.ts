import { parseSignedCheckpoint, type SignedCheckpoint } from '../../kernel/checkpoint.js';
import type { Json, JsonObject } from '../../kernel/json.js';
import { AuditFault } from './audit-fault.js';
import type { ServiceClient } from './service-client.js';

const PAGE = 500;
/** A year of one every five minutes; older ones are left out. */
const MAX_CHECKPOINTS = 100_000;
/** Of all their notes: more would only fill memory. */
const MAX_CHARACTERS = 128 * 1024 * 1024;

/**
 * Every checkpoint that the service lists, the smallest first, down to (and with) the newest one of at
 * most `from` entries.
 * @throws {AuditFault} `checkpoint-malformed`, and those of the client
 */
export async function publishedCheckpoints(
  client: ServiceClient,
  from: number,
): Promise<readonly SignedCheckpoint[]> {
  const found: SignedCheckpoint[] = [];
  let cursor = '';
  let characters = 0;
  do {
    const { status, body } = await client.json(
      `/v1/log/checkpoints?limit=${String(PAGE)}${cursor}`,
    );
    const page = status === 200 && isObject(body) ? body : {};
    const listed = page['checkpoints'];
    if (!Array.isArray(listed) || listed.length > PAGE) throw malformed();
    for (const each of listed as readonly Json[]) {
      const note = isObject(each) ? each['note'] : undefined;
      const checkpoint = typeof note === 'string' ? parseSignedCheckpoint(note) : undefined;
      characters += typeof note === 'string' ? note.length : 0;
      if (checkpoint === undefined || characters > MAX_CHARACTERS) throw malformed();
      found.push(checkpoint);
    }
    const next = page['nextCursor'];
    const reached = found.some(({ checkpoint }) => checkpoint.size <= from);
    if (typeof next !== 'string' || listed.length === 0 || reached) break;
    cursor = `&cursor=${encodeURIComponent(next)}`;
  } while (found.length < MAX_CHECKPOINTS);
  return found.reverse();
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function malformed(): AuditFault {
  return new AuditFault(
    'checkpoint-malformed',
    'the service lists something else than checkpoints',
  );
}
