import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { CurrentAgents } from '../../src/audit/replay/current-agents.js';
import { DisclosedEvents } from '../../src/audit/replay/disclosed-events.js';
import { replayedEvent } from '../../src/audit/replay/dto/replayed-event.js';
import { Replay } from '../../src/audit/replay/replay.js';
import { StreamSubjects } from '../../src/audit/replay/stream-subjects.js';
import type { KeyStore } from '../../src/event-store/key-store.js';
import { START, type EventStore } from '../../src/event-store/port.js';
import { RecordedErasures } from '../../src/interactions/queries/recorded-erasures.js';
import type { Caller, Scope } from '../../src/kernel/caller.js';
import { AUDIT_AUDIENCE } from './audit-agents.js';

const SCOPES: ReadonlySet<Scope> = new Set(['audit:read-all']);
const AUDITOR: Caller = {
  principal: 'auditor',
  client: null,
  agent: null,
  tenant: 'auditors',
  scopes: SCOPES,
  allScopes: SCOPES,
};
const EVERYTHING = {
  after: START,
  stream: undefined,
  types: undefined,
  agent: undefined,
  since: undefined,
  until: undefined,
  texts: true,
};

/**
 * What `GET /v1/events` sends as NDJSON, into a file: all of it but the connection. `told` is given the
 * number of events that were written each time some were.
 */
export async function exportLog(
  store: EventStore,
  keys: KeyStore,
  file: string,
  told: (events: number) => void,
): Promise<void> {
  const agents = (): CurrentAgents => new CurrentAgents(() => Promise.resolve(new Map()), store);
  const subjects = new StreamSubjects(store);
  const erasures = new RecordedErasures(store);
  const replay = new Replay(store, new DisclosedEvents(subjects, agents, keys, erasures));
  const head = await store.head();
  let events = 0;
  await pipeline(async function* () {
    for await (const batch of replay.export(AUDITOR, EVERYTHING, head)) {
      told((events += batch.length));
      yield batch
        .map((event) => `${JSON.stringify(replayedEvent(event, AUDIT_AUDIENCE))}\n`)
        .join('');
    }
  }, createWriteStream(file));
}
