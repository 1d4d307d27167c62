import type { JsonObject } from '../../kernel/json.js';
import type { Rejection } from '../../kernel/rejection.js';
import type { Result } from '../../kernel/result.js';

/** Signs tokens for backends with one key. */
export interface BackendTokenSigner {
  /** A JWS in compact form over these claims, typed `backend+jwt`. */
  sign(claims: JsonObject): Promise<string>;
}

/** What tokens for backends need of the platform's keys. */
export interface BackendTokenSigning {
  /** Refuses with `backend-token-key-unavailable` when this node holds no key that may sign them now. */
  backendTokenSigner(): Promise<Result<BackendTokenSigner, Rejection>>;
}

/** What the container hands out under this name: see `app.module.ts`. */
export const BACKEND_TOKEN_SIGNING = Symbol('BackendTokenSigning');
