import type { Rejection } from '../../kernel/rejection.js';
import type { Result } from '../../kernel/result.js';
import type { BackendCall } from './backends.js';

/** What a token says of the call in whose name it is shown. */
export type TokenSubject = Pick<
  BackendCall,
  'invocationId' | 'agentId' | 'caller' | 'scopes' | 'terms'
>;

/** Tokens for whoever is asked next on behalf of a caller. */
export abstract class CallTokens {
  /**
   * A token that is valid for 60 seconds and for `audience` alone. Refuses with
   * `backend-token-key-unavailable`.
   */
  abstract issue(subject: TokenSubject, audience: string): Promise<Result<string, Rejection>>;
}
