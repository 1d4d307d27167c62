import { errors, jwtVerify, type JWTVerifyGetKey } from 'jose';
import type { ClaimNames } from '../../config/config.js';
import type { Caller } from '../../kernel/caller.js';
import type { Clock } from '../../kernel/timestamp.js';
import { RejectionException } from '../rejection-exception.js';
import { tokenInvalid } from './bearer.js';
import { callerOf } from './claims.js';
import { IssuerUnavailable } from './issuer-keys.js';

/** Signatures that a token may carry. Never `none`, never a shared secret (HS*). */
const TOKEN_ALGORITHMS = [
  'EdDSA',
  'Ed25519',
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
];

/** Media types of access tokens (RFC 9068 section 2.1); other JWTs of the issuer are no tokens. */
const TOKEN_TYPES: ReadonlySet<string> = new Set(['jwt', 'at+jwt', 'application/at+jwt']);

export interface TokenRules {
  readonly issuer: string;
  readonly audience: string;
  readonly claims: ClaimNames;
  readonly leewaySeconds: number;
}

export interface VerifiedToken {
  readonly caller: Caller;
  /** End of its validity with the leeway, in milliseconds since the epoch. */
  readonly expiresAt: number;
}

/** Verifies OAuth 2 access tokens in JWT form (RFC 9068, RFC 8725). */
export class TokenVerifier {
  constructor(
    private readonly rules: TokenRules,
    private readonly keys: JWTVerifyGetKey,
    private readonly clock: Clock,
  ) {}

  /** @throws {RejectionException} `token-invalid`, `issuer-unavailable` */
  async verify(token: string): Promise<VerifiedToken> {
    const { issuer, audience, leewaySeconds, claims } = this.rules;
    const { payload, protectedHeader } = await jwtVerify(token, this.keys, {
      issuer,
      audience,
      algorithms: TOKEN_ALGORITHMS,
      requiredClaims: ['exp', 'sub'],
      clockTolerance: leewaySeconds,
      currentDate: new Date(this.clock()),
    }).catch((error: unknown) => {
      throw refusalOfToken(error);
    });
    if (!isTokenType(protectedHeader.typ)) {
      throw tokenInvalid('The JWT is not an access token.');
    }
    // Bound to a key that a bearer request does not prove (RFC 7800): it is no bearer token.
    if (Object.hasOwn(payload, 'cnf')) {
      throw tokenInvalid('The token is bound to a key and cannot be used as a bearer token.');
    }
    const caller = callerOf(payload, claims);
    if (!caller.ok) throw tokenInvalid(caller.error);
    return { caller: caller.value, expiresAt: ((payload.exp ?? 0) + leewaySeconds) * 1000 };
  }
}

/** @param typ as the token says it, of whatever type: jose looks at it only when told what to expect */
function isTokenType(typ: unknown): boolean {
  return typ === undefined || (typeof typ === 'string' && TOKEN_TYPES.has(typ.toLowerCase()));
}

function refusalOfToken(error: unknown): RejectionException {
  if (error instanceof IssuerUnavailable) {
    return new RejectionException({ code: 'issuer-unavailable' });
  }
  if (error instanceof errors.JWTExpired) return tokenInvalid('The token has expired.');
  if (error instanceof errors.JWTClaimValidationFailed) {
    return tokenInvalid(`The ${claimName(error.claim)} claim of the token is not acceptable.`);
  }
  if (error instanceof errors.JWKSNoMatchingKey) {
    return tokenInvalid('The token is signed by a key that its issuer does not publish.');
  }
  return tokenInvalid('The token is malformed or wrongly signed.');
}

/** Claim names come from this service's own list, but a challenge takes no surprises. */
function claimName(claim: string): string {
  return /^[a-z]{1,16}$/.test(claim) ? claim : 'named';
}
