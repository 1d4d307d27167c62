import type { EventEnvelope } from '../../../kernel/envelope.js';
import { deriveUuid } from '../../../kernel/ids.js';
import { failure, type Flaw } from '../check-result.js';

const PLATFORM_KEYS = 'platform-keys';

/** How the ids in streams of one kind are derived. */
interface Derivation {
  readonly prefix: string;
  /** Of the events that one command makes. */
  readonly indices: readonly number[];
  /** The first logs left the stream out; the later kinds of streams are younger than that. */
  readonly hasOldForm: boolean;
}

const DERIVATIONS: readonly Derivation[] = [
  // An acceptance with its attestation, a report with the completion; a first key with the methods.
  { prefix: 'interaction-', indices: [0, 1], hasOldForm: true },
  { prefix: 'agent-', indices: [0, 1], hasOldForm: true },
  { prefix: 'invocation-', indices: [0], hasOldForm: false },
  { prefix: 'capability-', indices: [0], hasOldForm: false },
  { prefix: 'card-', indices: [0], hasOldForm: false },
];

/**
 * The id of every audited event is derived from its stream, its command and its index in that. The command's
 * own id is nothing to recompute: it follows from what a caller chose, and of calls, cards and platform
 * keys it is random by design, so that two who say the same are not taken for one.
 */
export class EventIds {
  /** Of the newest event of `platform-keys`; its index is null where the events before it are not known. */
  #newest: { revision: number; commandId: string; index: number | null } = {
    revision: -1,
    commandId: '',
    index: null,
  };

  /** Of `platform-keys` it must be given every event, in order. */
  flaw(envelope: EventEnvelope): Flaw | undefined {
    const { stream } = envelope;
    if (stream === PLATFORM_KEYS) {
      const index = this.#indexOf(envelope);
      // What is missing before it is told as such.
      return index === null || isDerived(envelope, [index], true) ? undefined : wrong(envelope);
    }
    const derivation = DERIVATIONS.find(({ prefix }) => stream.startsWith(prefix));
    if (derivation === undefined) return undefined;
    const { indices, hasOldForm } = derivation;
    return isDerived(envelope, indices, hasOldForm) ? undefined : wrong(envelope);
  }

  /** A start registers as many keys as its node holds: where its events began tells the index of each. */
  #indexOf({ revision, metadata: { commandId } }: EventEnvelope): number | null {
    const before = this.#newest;
    const isUnbroken = revision === before.revision + 1;
    let index = isUnbroken ? 0 : null;
    if (isUnbroken && commandId === before.commandId) {
      index = before.index === null ? null : before.index + 1;
    }
    this.#newest = { revision, commandId, index };
    return index;
  }
}

function isDerived(
  { id, stream, metadata: { commandId } }: EventEnvelope,
  indices: readonly number[],
  hasOldForm: boolean,
): boolean {
  return (
    indices.some((index) => deriveUuid(['event', stream, commandId, index]) === id) ||
    (hasOldForm && indices.some((index) => deriveUuid(['event', commandId, index]) === id))
  );
}

function wrong({ id }: EventEnvelope): Flaw {
  return failure('event-id-wrong', id);
}
