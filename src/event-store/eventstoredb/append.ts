import {
  NO_STREAM,
  type EventData,
  type EventStoreDBClient,
  type Position as LogPosition,
} from '@eventstore/db-client';
import { err, ok, type Result } from '../../kernel/result.js';
import {
  EventStoreUnavailable,
  type Appended,
  type AppendConflict,
  type ExpectedRevision,
} from '../port.js';
import type { CallOptions } from './client.js';
import { isFault } from './faults.js';
import { persist } from './patience.js';
import { toPosition } from './position.js';

export interface AppendRequest {
  /** With the namespace. */
  readonly name: string;
  readonly expected: ExpectedRevision;
  readonly events: readonly EventData[];
}

/** What an append says; the engine leaves the position out of some answers to a repeated one. */
export type AppendAnswer = Pick<Appended, 'revision'> & Partial<Appended>;

/**
 * Appends, and tries again while the answer is unknown: the same events at the same revision are
 * harmless, since the engine finds their ids there (`IndexWriter.CheckCommit`: with an expected
 * revision below the current one it compares the ids that follow; all the same, and it answers
 * `Idempotent`). It drops a repetition whose first is still being replicated (`IdempotentNotReady`),
 * which ends in a timeout and one more try.
 *
 * @throws {EventStoreUnavailable} when it is unknown whether they were appended.
 * @throws {RangeError} when they are larger than the engine takes at once. Nothing that the service
 * records comes near the default of 1 MiB (requests are at most 256 KiB, manifests 128 Ki code units);
 * a server that was set to less is not fit for it.
 */
export async function append(
  client: EventStoreDBClient,
  options: CallOptions,
  { name, expected, events }: AppendRequest,
  patienceMs: number,
): Promise<Result<AppendAnswer, AppendConflict>> {
  try {
    return await persist(patienceMs, async ({ left }) => {
      const { nextExpectedRevision, position } = await client.appendToStream(name, [...events], {
        ...options,
        expectedRevision: expected === 'no-stream' ? NO_STREAM : BigInt(expected),
        deadline: left,
      });
      return ok({ revision: Number(nextExpectedRevision), ...given(position) });
    });
  } catch (error) {
    const cause = error instanceof EventStoreUnavailable ? error.cause : error;
    if (isFault(cause, 'wrong-expected-version')) {
      const { actualVersion } = cause as { actualVersion: bigint | typeof NO_STREAM };
      const actual = actualVersion === NO_STREAM ? 'no-stream' : Number(actualVersion);
      return err({ code: 'append-conflict', actual });
    }
    if (isFault(cause, 'maximum-append-size-exceeded')) {
      const reason = 'the events are larger than EventStoreDB takes at once (1 MiB by default)';
      throw new RangeError(reason, { cause: error });
    }
    throw error;
  }
}

function given(position: LogPosition | undefined): Partial<Appended> {
  return position === undefined ? {} : { position: toPosition(position) };
}
