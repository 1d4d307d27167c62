import type { DomainEvent } from '../../../kernel/event.js';
import type { KeyId } from '../../../kernel/ids.js';

/** The one stream of everything that is said about the tree; no leaf of it. */
export const LOG_STREAM = 'log';

/** A checkpoint is published by this event. One per revision of the stream, whichever node signs. */
export type CheckpointSigned = DomainEvent<
  'checkpoint-signed',
  {
    readonly origin: string;
    /** Number of leaves. */
    readonly size: number;
    /** b64u of 32 bytes. */
    readonly rootHash: string;
    /** The platform key of the purpose `checkpoint` that signed. */
    readonly keyId: KeyId;
    /** c2sp.org/tlog-checkpoint, with the log's own signature alone. */
    readonly note: string;
  },
  null
>;

/** A witness has cosigned a published checkpoint; each of them once. */
export type CheckpointCosigned = DomainEvent<
  'checkpoint-cosigned',
  {
    readonly size: number;
    readonly rootHash: string;
    /** The witness's verifier key (c2sp.org/signed-note). */
    readonly witness: string;
    /** By the witness's clock, in seconds since the epoch. */
    readonly cosignedAt: number;
    /** The signature line, with its newline. */
    readonly line: string;
  },
  null
>;

export type LogEvent = CheckpointSigned | CheckpointCosigned;
