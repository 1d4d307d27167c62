import type { PlatformKeys } from '../attestation/domain/platform-key.js';
import type { PlatformAttestation, UnattestedRevision } from '../kernel/federated-interaction.js';
import type { Rejection } from '../kernel/rejection.js';
import type { Result } from '../kernel/result.js';
import type { Timestamp } from '../kernel/timestamp.js';

/** What negotiation needs of the platform's keys. */
export interface Attesting {
  /** Refuses with `attestation-unavailable` when this node holds no key that may attest now. */
  attester(): Promise<
    Result<
      {
        readonly attest: (revision: UnattestedRevision) => PlatformAttestation;
        /** The head of the platform's keys that the choice of the key was made on. */
        readonly basedOn: Readonly<Record<string, number>>;
        /** Of that head: nothing is dated before what it rests on. */
        readonly recordedAt: Timestamp;
      },
      Rejection
    >
  >;

  /** Every key that ever was, in the order of registration. */
  keys(): Promise<PlatformKeys>;
}

/** What the container hands out under this name: see `app.module.ts`. */
export const ATTESTING = Symbol('Attesting');
