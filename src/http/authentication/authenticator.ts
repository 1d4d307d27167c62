import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Caller } from '../../kernel/caller.js';
import type { Clock } from '../../kernel/timestamp.js';
import { bearerToken } from './bearer.js';
import type { TokenVerifier } from './token-verifier.js';

export interface AuthenticatorOptions {
  /** How many verified tokens are remembered. */
  readonly maxTokens: number;
  /** How long a verified token is believed without another look, in milliseconds. */
  readonly maxAgeMs: number;
}

interface Remembered {
  readonly caller: Caller;
  readonly until: number;
}

/**
 * Who calls, by the bearer token of a request. A verified token is remembered, under its hash, until
 * it expires or a short time has passed, whichever is first: with the age of the issuer's keys that
 * bounds how long a withdrawn key still works. Refused tokens are not remembered at all.
 */
export class Authenticator {
  readonly #known: LRUCache<string, Remembered>;

  constructor(
    private readonly verifier: TokenVerifier,
    private readonly clock: Clock,
    private readonly options: AuthenticatorOptions,
  ) {
    this.#known = new LRUCache({ max: options.maxTokens });
  }

  /**
   * @param authorization the `Authorization` header
   * @returns the caller, at once when the token is known
   * @throws {RejectionException} `token-missing`, `token-invalid`, `issuer-unavailable`
   */
  authenticate(authorization: string | undefined): Caller | Promise<Caller> {
    const token = bearerToken(authorization);
    const digest = hash('sha256', token, 'base64');
    const known = this.#known.get(digest);
    if (known !== undefined && this.clock() < known.until) return known.caller;
    return this.#verify(token, digest);
  }

  async #verify(token: string, digest: string): Promise<Caller> {
    this.#known.delete(digest);
    const { caller, expiresAt } = await this.verifier.verify(token);
    const until = Math.min(expiresAt, this.clock() + this.options.maxAgeMs);
    this.#known.set(digest, { caller, until });
    return caller;
  }
}
