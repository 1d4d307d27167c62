import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openSqliteEventStore } from '../../../src/event-store/sqlite/sqlite-event-store.js';
import { START } from '../../../src/event-store/port.js';
import type { JsonObject } from '../../../src/kernel/json.js';

/** Lines that runs of the scripted agent left in a journal. */
export function journalOf(file: string): readonly string[] {
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
}

export interface Recorded {
  readonly type: string;
  readonly stream: string;
  readonly data: JsonObject;
  /** Streams that it rests on, and their revisions. */
  readonly basedOn: Readonly<Record<string, number>>;
}

/** Every event in a store of a service; may be read while it runs. */
export async function recordedIn(
  folder: string,
  file: 'events.db' | 'tasks.db',
): Promise<readonly Recorded[]> {
  const store = await openSqliteEventStore(join(folder, file));
  try {
    const events: Recorded[] = [];
    for await (const { type, stream, data, metadata } of store.readAll(START)) {
      events.push({ type, stream, data, basedOn: metadata.basedOn });
    }
    return events;
  } finally {
    await store.close();
  }
}

/** What a node writes by itself, whenever its time has come. */
const OF_THE_NODE = /^(?:log$|process-)/;

/** Of all that {@link recordedIn} gives, what somebody has asked for. */
export async function askedForIn(
  ...where: Parameters<typeof recordedIn>
): Promise<readonly Recorded[]> {
  const events = await recordedIn(...where);
  return events.filter(({ stream }) => !OF_THE_NODE.test(stream));
}
