import { createRemoteJWKSet, errors, type JWTVerifyGetKey, type RemoteJWKSet } from 'jose';
import { isSecureUrl } from '../../config/addresses.js';
import type { Clock } from '../../kernel/timestamp.js';

/** The issuer's keys could not be read: the token is neither good nor bad. */
export class IssuerUnavailable extends Error {
  override readonly name = 'IssuerUnavailable';
}

export interface IssuerKeysOptions {
  readonly issuer: string;
  /** Null: `jwks_uri` of the issuer's discovery document (OpenID Connect Discovery section 4). */
  readonly jwksUri: string | null;
  /** How long a fetched set is believed, in milliseconds: how long a removed key still works. */
  readonly maxAgeMs: number;
  /** Shortest time between two fetches for unknown key ids, and after a discovery that failed, in milliseconds. */
  readonly cooldownMs: number;
  /** In development an issuer may be an http server on this machine. */
  readonly allowLoopbackHttp: boolean;
  readonly clock: Clock;
  /** Told once per outage why the keys cannot be read. */
  readonly onFault: (fault: unknown) => void;
}

const FETCH_TIMEOUT_MS = 5_000;

/** How long a discovered `jwks_uri` is used without asking again, in milliseconds. */
const DISCOVERY_MAX_AGE_MS = 10 * 60 * 1000;

/**
 * The keys of a remote issuer, fetched at the first token and again when they are old or a token
 * names an unknown key id.
 * @returns a key resolver that throws {@link IssuerUnavailable} when the keys cannot be had
 */
export function remoteIssuerKeys(options: IssuerKeysOptions): JWTVerifyGetKey {
  const endpoint = new JwksEndpoint(options);
  let isDown = false;
  return async (header, token) => {
    try {
      const key = await endpoint.keyOf(header, token);
      isDown = false;
      return key;
    } catch (error) {
      if (isAboutTheToken(error)) throw error;
      // Once per outage: every request meets the same fault.
      if (!isDown) options.onFault(error);
      isDown = true;
      throw new IssuerUnavailable('the keys of the token issuer cannot be read', { cause: error });
    }
  };
}

/** The set was read, and no key in it, or no single one, is the token's. */
function isAboutTheToken(error: unknown): boolean {
  return (
    error instanceof errors.JWKSNoMatchingKey ||
    error instanceof errors.JWKSMultipleMatchingKeys ||
    error instanceof errors.JOSENotSupported
  );
}

class JwksEndpoint {
  #keys: RemoteJWKSet | undefined;
  #uri: string | undefined;
  /** Ends, however it ends. */
  #discovery: Promise<void> | undefined;
  /** Of the last discovery, unless it succeeded. */
  #fault: unknown;
  /** When the last one ended. */
  #discoveredAt = Number.NEGATIVE_INFINITY;

  constructor(private readonly options: IssuerKeysOptions) {
    if (options.jwksUri !== null) this.#open(options.jwksUri);
  }

  /**
   * The key of a token. A set that is known is used while discovery is under way, or fails; only for a key
   * that it does not give is a discovery waited for, which may name the set that has it.
   */
  async keyOf(...token: Parameters<JWTVerifyGetKey>): Promise<Awaited<ReturnType<RemoteJWKSet>>> {
    const discovery = this.#discoveryIfDue();
    if (this.#keys === undefined) await discovery;
    const keys = this.#keys;
    if (keys === undefined) throw this.#fault;
    try {
      return await keys(...token);
    } catch (error) {
      await discovery;
      const newer = this.#keys;
      if (newer === undefined || newer === keys) throw error;
      return await newer(...token);
    }
  }

  /** The discovery under way, begun when it is time; undefined when there is none. */
  #discoveryIfDue(): Promise<void> | undefined {
    if (this.options.jwksUri !== null) return undefined;
    const age = this.options.clock() - this.#discoveredAt;
    const holdsFor = this.#fault === undefined ? DISCOVERY_MAX_AGE_MS : this.options.cooldownMs;
    // Of a negative age nobody knows what it is: the clock was set back.
    if (this.#discovery === undefined && age >= 0 && age < holdsFor) return undefined;
    this.#discovery ??= this.#discoverOnce().finally(() => {
      this.#discovery = undefined;
    });
    return this.#discovery;
  }

  async #discoverOnce(): Promise<void> {
    const { clock, onFault } = this.options;
    try {
      await this.#discover();
      this.#fault = undefined;
    } catch (error) {
      // Without keys whoever asks for one is told, and tells.
      if (this.#keys !== undefined && this.#fault === undefined) onFault(error);
      this.#fault = error;
    }
    this.#discoveredAt = clock();
  }

  #open(uri: string): void {
    if (uri === this.#uri) return;
    this.#uri = uri;
    this.#keys = createRemoteJWKSet(new URL(uri), {
      timeoutDuration: FETCH_TIMEOUT_MS,
      cooldownDuration: this.options.cooldownMs,
      cacheMaxAge: this.options.maxAgeMs,
    });
  }

  /** The document must name the very issuer that was asked: section 4.3 of the specification. */
  async #discover(): Promise<void> {
    const { issuer, allowLoopbackHttp } = this.options;
    const response = await fetch(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`, {
      redirect: 'error',
      signal: AbortSignal.timeout(FETCH_TIMEOUT_MS),
    });
    if (response.status !== 200) throw new Error(`discovery answered ${String(response.status)}`);
    const document = (await response.json()) as { issuer?: unknown; jwks_uri?: unknown };
    if (document.issuer !== issuer) throw new Error('discovery names another issuer');
    const uri = document.jwks_uri;
    if (typeof uri !== 'string' || !URL.canParse(uri)) throw new Error('discovery has no jwks_uri');
    if (!isSecureUrl(new URL(uri), allowLoopbackHttp)) throw new Error('jwks_uri is not https');
    this.#open(uri);
  }
}
