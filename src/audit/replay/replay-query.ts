import type { EventFilter, Position, RecordedEnvelope } from '../../event-store/port.js';
import type { AgentId } from '../../kernel/ids.js';
import { isBefore, type Timestamp } from '../../kernel/timestamp.js';
import { AUDITED_STREAM_PREFIXES } from '../audited-streams.js';

/** What a reader asks for: everything that is given must hold. */
export interface ReplayQuery {
  /** Exclusive. */
  readonly after: Position;
  readonly stream: string | undefined;
  /** Any of these. */
  readonly types: readonly string[] | undefined;
  /** See `concerns`. */
  readonly agent: AgentId | undefined;
  /** Inclusive. Of `recordedAt`, which never goes back within a stream, but may between streams. */
  readonly since: Timestamp | undefined;
  /** Exclusive. */
  readonly until: Timestamp | undefined;
  /** False: texts stay sealed. */
  readonly texts: boolean;
}

export function isAudited(stream: string): boolean {
  return AUDITED_STREAM_PREFIXES.some((prefix) => stream.startsWith(prefix));
}

/** Whether an event is asked for, as far as it tells by itself. */
export function asksFor(
  { stream, types, since, until }: ReplayQuery,
  event: RecordedEnvelope,
): boolean {
  return (
    isAudited(event.stream) &&
    (stream === undefined || event.stream === stream) &&
    types?.includes(event.type) !== false &&
    (since === undefined || !isBefore(event.recordedAt, since)) &&
    (until === undefined || isBefore(event.recordedAt, until))
  );
}

/** What the engine may leave out by itself, for readers that need not know how far it has looked. */
export function engineFilter({ stream, types }: ReplayQuery): EventFilter {
  return {
    streamPrefixes: stream === undefined ? AUDITED_STREAM_PREFIXES : [stream],
    ...(types === undefined ? {} : { types }),
  };
}
