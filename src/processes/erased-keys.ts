import { keyScopeOf } from '../event-store/codec.js';
import { START, type EventStore } from '../event-store/port.js';
import type { InteractionEvent } from '../interactions/domain/events.js';
import { INTERACTION_STREAM_PREFIX } from '../interactions/domain/stream.js';
import { ERASED } from '../kernel/event.js';
import type { InteractionId } from '../kernel/ids.js';
import type { DataKeys } from './ports.js';
import type { RepeatedTerms } from './repeated-terms.js';

const ERASURES = {
  streamPrefixes: [INTERACTION_STREAM_PREFIX],
  types: ['texts-erased'] as const satisfies readonly InteractionEvent['type'][],
};

/** Erasures whose keys are asked for in one look at the key store. */
const BATCH = 256;

/**
 * Destroys the keys of all that the log says is erased, where they are there again: whoever puts an older
 * copy of the key store back brings keys back that were destroyed since it was made.
 */
export async function destroyErasedKeys(
  store: Pick<EventStore, 'readAll'>,
  keys: DataKeys,
  repeated: Pick<RepeatedTerms, 'streamsOf'>,
  signal: AbortSignal,
): Promise<void> {
  let erased: (readonly [stream: string, interactionId: InteractionId])[] = [];
  const destroyBatch = async (): Promise<void> => {
    const streams = await Promise.all(
      erased.map(async ([stream, id]) => [stream, ...(await repeated.streamsOf(id))]),
    );
    const scopes = streams.flat().map(keyScopeOf);
    const found = await keys.findAll(scopes);
    // A scope without a key too: it must not get one.
    const left = scopes.filter((scope) => found.get(scope) !== ERASED);
    await Promise.all(left.map(async (scope) => await keys.destroy(scope)));
    erased = [];
  };
  for await (const { stream, data } of store.readAll(START, ERASURES)) {
    if (signal.aborted) return;
    erased.push([stream, data['interactionId'] as InteractionId]);
    if (erased.length === BATCH) await destroyBatch();
  }
  if (erased.length > 0) await destroyBatch();
}
