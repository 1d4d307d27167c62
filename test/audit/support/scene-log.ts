import { ERASED, type Recorded } from '../../../src/kernel/event.js';
import type { InteractionEvent } from '../../../src/interactions/domain/events.js';
import { INTERACTION_EVENT_TYPES } from '../../../src/interactions/event-types.js';
import type { CheckResult } from '../../../src/audit/verify/check-result.js';
import type { ReplayOptions } from '../../../src/audit/verify/replay/entry.js';
import { LogReplay } from '../../../src/audit/verify/replay/log-replay.js';
import type { EventEnvelope, Sealed } from '../../../src/kernel/envelope.js';
import { AUDIENCE, type Scene } from '../../support/interaction-fixtures.js';
import { envelope } from './bundles.js';

/** One event of the log, with its texts where it has some. */
export interface LogEntry {
  readonly envelope: EventEnvelope;
  readonly texts?: unknown;
}

/** The events of a scene as they stand in the log. */
export function entriesOf({ log, interaction }: Scene): readonly LogEntry[] {
  return entriesOfStream(`interaction-${interaction.interactionId}`, log);
}

/** The events of one interaction as they stand in the log: those of one moment are of one command. */
export function entriesOfStream(
  stream: string,
  log: readonly Recorded<InteractionEvent>[],
): readonly LogEntry[] {
  return log.map(({ type, data, texts, recordedAt, revision }) => {
    const command = `${stream} ${recordedAt}`;
    const index = log.filter(
      (other) => other.recordedAt === recordedAt && other.revision < revision,
    ).length;
    const { schemaVersion } = INTERACTION_EVENT_TYPES[type];
    const event = {
      ...envelope(stream, revision, type, data, recordedAt, command, index),
      schemaVersion,
    };
    if (texts === null || texts === ERASED) return { envelope: event };
    return { envelope: { ...event, sealed: 'A'.repeat(64) as Sealed }, texts };
  });
}

/** What the replay of these entries, in this order, does not call verified. */
export function doubtsAbout(
  entries: readonly (LogEntry | EventEnvelope)[],
  options: Partial<ReplayOptions> = {},
): readonly CheckResult[] {
  const replay = new LogReplay({ audience: AUDIENCE, documents: true, ...options });
  return entries
    .map((entry) => ('envelope' in entry ? entry : { envelope: entry }))
    .flatMap((entry, index) => replay.add({ index, ...entry }))
    .filter(({ result }) => result !== 'verified');
}

/** `<check> <result> <reason>`, and the detail where there is one. */
export function inShort({ check, result, reason, detail }: CheckResult): string {
  return `${check} ${result} ${reason ?? ''}${detail === null ? '' : ` (${detail})`}`;
}
