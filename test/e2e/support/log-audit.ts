import { readConfig } from '../../../src/config/read-config.js';
import { START, type RecordedEnvelope } from '../../../src/event-store/port.js';
import { aMoment } from '../../support/eventually.js';
import { openEventStore } from '../../../src/wiring/open-event-store.js';
import type { Deployment } from './deployment.js';

/** Longer than a lease that a killed node has left behind, in milliseconds. */
const PATIENCE_MS = 90_000;

export type Log = readonly RecordedEnvelope[];

/** Every event of a deployment's log; may be read while its nodes run. */
export async function wholeLog({ folder, env }: Deployment): Promise<Log> {
  const config = readConfig({ COUNTERSIGN_DEV: '1', DATA_FOLDER: folder, ...env }, 'reader');
  if (!config.ok) throw new Error(JSON.stringify(config.error));
  const store = await openEventStore(config.value.eventStore);
  try {
    const events: RecordedEnvelope[] = [];
    for await (const event of store.readAll(START)) events.push(event);
    return events;
  } finally {
    await store.close();
  }
}

/** The log once it is as a condition says. */
export async function logOnce(
  deployed: Deployment,
  condition: (streams: ReadonlyMap<string, Log>) => boolean,
): Promise<Log> {
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    const log = await wholeLog(deployed);
    if (condition(byStream(log))) return log;
    if (performance.now() > deadline) throw new Error(`it never came true: ${String(condition)}`);
    await aMoment(250);
  }
}

export function byStream(log: Log): ReadonlyMap<string, Log> {
  const streams = new Map<string, RecordedEnvelope[]>();
  for (const event of log) {
    const events = streams.get(event.stream) ?? [];
    if (events.length === 0) streams.set(event.stream, events);
    events.push(event);
  }
  return streams;
}

/** What no log may be, whoever wrote it: each fault as a sentence. */
export function faultsOf(log: Log): readonly string[] {
  const faults: string[] = [];
  const ids = new Set<string>();
  let before = START;
  for (const { id, position } of log) {
    if (position <= before) faults.push(`${id} stands at ${position}, after ${before}`);
    if (ids.has(id)) faults.push(`${id} is there twice`);
    ids.add(id);
    before = position;
  }
  for (const [stream, events] of byStream(log)) {
    for (const [index, { revision, recordedAt }] of events.entries()) {
      const previous = events[index - 1]?.recordedAt;
      if (revision !== index) faults.push(`${stream} has ${String(revision)} at ${String(index)}`);
      if (previous !== undefined && recordedAt < previous)
        faults.push(`${stream} goes back in time`);
    }
    if (stream.startsWith('interaction-')) faults.push(...faultsOfInteraction(stream, events));
  }
  return faults;
}

const ENDS: ReadonlySet<string> = new Set([
  'interaction-cancelled',
  'interaction-completed',
  'interaction-expired',
]);

/** One proposal after the other, each the successor of the newest terms; one end at most, the last. */
function faultsOfInteraction(stream: string, events: Log): readonly string[] {
  const faults: string[] = [];
  const acts = new Set<string>();
  let revision = 0;
  let ended = false;
  for (const { type, data } of events) {
    if (ended) faults.push(`${stream} goes on after its end with ${type}`);
    if (ENDS.has(type)) ended = true;
    if (type === 'interaction-proposed' || type === 'revision-proposed') {
      if (data['revision'] !== ++revision) {
        faults.push(`${stream} has ${String(data['revision'])} for ${String(revision)}`);
      }
    }
    if (type !== 'revision-accepted' && type !== 'revision-attested') continue;
    const { agentId = '' } = (data['acceptance'] ?? {}) as { agentId?: string };
    const act = `${type} ${String(data['revision'])} ${agentId}`;
    if (acts.has(act)) faults.push(`${stream} has twice ${act}`);
    acts.add(act);
  }
  return faults;
}
