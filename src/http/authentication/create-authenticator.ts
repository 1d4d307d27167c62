import type { Config } from '../../config/config.js';
import type { Clock } from '../../kernel/timestamp.js';
import { logFault } from '../fault-log.js';
import { Authenticator } from './authenticator.js';
import { DEV_AUDIENCE, DEV_ISSUER, devIssuerKeys, loadOrCreateDevKey } from './dev-issuer.js';
import { remoteIssuerKeys } from './issuer-keys.js';
import { TokenVerifier } from './token-verifier.js';

const MAX_TOKENS = 10_000;

/** Half of the minute within which a key that the issuer withdrew stops working... */
const VERIFIED_TOKEN_MAX_AGE_MS = 30_000;

/** ...and the other half: a token may be verified just before its key set is fetched again. */
const ISSUER_KEYS_MAX_AGE_MS = 30_000;

/** A flood of unknown key ids fetches the issuer's keys no more often than this. */
const ISSUER_KEYS_COOLDOWN_MS = 5_000;

/** The authenticator of a configured service. Reads or makes the local issuer's key where that is used. */
export async function createAuthenticator(config: Config, clock: Clock): Promise<Authenticator> {
  return new Authenticator(await createVerifier(config, clock), clock, {
    maxTokens: MAX_TOKENS,
    maxAgeMs: VERIFIED_TOKEN_MAX_AGE_MS,
  });
}

/** How the local issuer's tokens name agent and tenant. */
const DEV_CLAIMS = { agent: 'agent', tenant: 'tenant' };

async function createVerifier(config: Config, clock: Clock): Promise<TokenVerifier> {
  const trust = config.tokens;
  switch (trust.kind) {
    case 'dev-issuer': {
      const rules = {
        issuer: DEV_ISSUER,
        audience: DEV_AUDIENCE,
        claims: DEV_CLAIMS,
        leewaySeconds: trust.leewaySeconds,
      };
      const key = await loadOrCreateDevKey(trust.keyFile);
      return new TokenVerifier(rules, devIssuerKeys(key), clock);
    }
    case 'oidc': {
      const keys = remoteIssuerKeys({
        issuer: trust.issuer,
        jwksUri: trust.jwksUri,
        maxAgeMs: ISSUER_KEYS_MAX_AGE_MS,
        cooldownMs: ISSUER_KEYS_COOLDOWN_MS,
        allowLoopbackHttp: config.mode === 'development',
        clock,
        onFault: (fault) => {
          logFault(fault, 'issuer-keys');
        },
      });
      return new TokenVerifier(trust, keys, clock);
    }
  }
}
