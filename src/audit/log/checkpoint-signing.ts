import type { PlatformKeys } from '../../attestation/domain/platform-key.js';
import type { Ed25519Jwk } from '../../kernel/ed25519.js';
import type { KeyId } from '../../kernel/ids.js';

/** A platform key that signs checkpoints. */
export interface CheckpointKey {
  readonly keyId: KeyId;
  readonly jwk: Ed25519Jwk;
  /** b64u of the Ed25519 signature over the text's UTF-8 bytes. */
  readonly sign: (text: string) => string;
}

/** What the transparency log needs of the platform's keys. */
export interface CheckpointSigning {
  /** Undefined when this node holds no key that may sign checkpoints now. */
  checkpointKey(): Promise<CheckpointKey | undefined>;

  /** Every key that ever was, in the order of registration. */
  keys(): Promise<PlatformKeys>;
}

/** What the container hands out under this name: see `app.module.ts`. */
export const CHECKPOINT_SIGNING = Symbol('CheckpointSigning');
