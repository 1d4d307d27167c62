import type { KeyId } from '../../kernel/ids.js';
import type { Rejection } from '../../kernel/rejection.js';
import type { Result } from '../../kernel/result.js';

/** Signs cards with one key. */
export interface CardSigner {
  readonly keyId: KeyId;
  /** b64u of the Ed25519 signature over the text's UTF-8 bytes. */
  readonly sign: (text: string) => string;
}

/** What cards need of the platform's keys. */
export interface CardSigning {
  /** Refuses with `card-key-unavailable` when this node holds no key that may sign cards now. */
  cardSigner(): Promise<Result<CardSigner, Rejection>>;
}

/** What the container hands out under this name: see `app.module.ts`. */
export const CARD_SIGNING = Symbol('CardSigning');
