import { parseSignedCheckpoint, type SignedCheckpoint } from '../../kernel/checkpoint.js';
import { isObject, type Json } from '../../kernel/json.js';
import { AuditFault } from './audit-fault.js';
import type { ServiceClient } from './service-client.js';

const PAGE = 500;
/** A year of one every five minutes; older ones are left out. */
const MAX_CHECKPOINTS = 100_000;
/** Of all their notes: more would only fill memory. */
const MAX_CHARACTERS = 128 * 1024 * 1024;
/** Of those that are left out: a list need not end. */
const MAX_COUNTED = 1_000_000;

export interface PublishedCheckpoints {
  /** The smallest first. */
  readonly checkpoints: readonly SignedCheckpoint[];
  /** Older ones, which are counted and not looked at; a million stands for more as well. */
  readonly leftOut: number;
}

/**
 * Every checkpoint that the service lists down to (and with) the newest one of at most `from` entries,
 * but no more than `most` of them, by whole pages.
 * @throws {AuditFault} `checkpoint-malformed`, and those of the client
 */
export async function publishedCheckpoints(
  client: ServiceClient,
  from: number,
  most = MAX_CHECKPOINTS,
): Promise<PublishedCheckpoints> {
  const found: SignedCheckpoint[] = [];
  let leftOut = 0;
  let characters = 0;
  for await (const page of pagesOf(client)) {
    const notes = page.map(noteOf);
    const checkpoints = notes.map(parsed);
    if (found.length >= most) leftOut += checkpoints.length;
    else {
      characters += notes.reduce((sum, note) => sum + note.length, 0);
      if (characters > MAX_CHARACTERS) throw malformed();
      found.push(...checkpoints);
    }
    const isReached = checkpoints.some(({ checkpoint }) => checkpoint.size <= from);
    if (isReached || leftOut >= MAX_COUNTED) break;
  }
  return { checkpoints: found.reverse(), leftOut: Math.min(leftOut, MAX_COUNTED) };
}

/** The newest first. */
async function* pagesOf(client: ServiceClient): AsyncGenerator<readonly Json[], undefined> {
  let cursor = '';
  for (;;) {
    const { status, body } = await client.json(
      `/v1/log/checkpoints?limit=${String(PAGE)}${cursor}`,
    );
    const page = status === 200 && isObject(body) ? body : {};
    const listed = page['checkpoints'];
    if (!Array.isArray(listed) || listed.length > PAGE) throw malformed();
    yield listed as readonly Json[];
    const next = page['nextCursor'];
    if (typeof next !== 'string' || listed.length === 0) return;
    cursor = `&cursor=${encodeURIComponent(next)}`;
  }
}

function noteOf(listed: Json): string {
  const note = isObject(listed) ? listed['note'] : undefined;
  if (typeof note !== 'string') throw malformed();
  return note;
}

function parsed(note: string): SignedCheckpoint {
  const checkpoint = parseSignedCheckpoint(note);
  if (checkpoint === undefined) throw malformed();
  return checkpoint;
}

function malformed(): AuditFault {
  return new AuditFault(
    'checkpoint-malformed',
    'the service lists something else than checkpoints',
  );
}
