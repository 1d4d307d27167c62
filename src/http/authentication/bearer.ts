import { RejectionException } from '../rejection-exception.js';

/** `b64token` of RFC 6750 section 2.1, and JWTs have two dots in it. */
const BEARER = /^Bearer +([A-Za-z0-9\-._~+/]+=*)$/i;

/** Longer than any token that an issuer makes; what is longer is not even hashed. */
const MAX_TOKEN_LENGTH = 8 * 1024;

/**
 * The token of an `Authorization` header: the only place where one is looked for.
 * @throws {RejectionException} `token-missing`, `token-invalid`
 */
export function bearerToken(authorization: string | undefined): string {
  if (authorization === undefined) throw tokenMissing();
  const [, token] = BEARER.exec(authorization) ?? [];
  if (token === undefined) {
    throw /^Bearer\b/i.test(authorization)
      ? tokenInvalid('The Authorization header holds no well-formed bearer token.')
      : tokenMissing();
  }
  if (token.length > MAX_TOKEN_LENGTH) throw tokenInvalid('The token is longer than 8 KiB.');
  return token;
}

/** RFC 6750 section 3: without credentials the challenge carries no error. */
export function tokenMissing(): RejectionException {
  return new RejectionException({ code: 'token-missing' }, { 'www-authenticate': 'Bearer' });
}

/** @param detail ASCII without quotes: it is repeated in the challenge */
export function tokenInvalid(detail: string): RejectionException {
  return new RejectionException(
    { code: 'token-invalid', detail },
    { 'www-authenticate': `Bearer error="invalid_token", error_description="${detail}"` },
  );
}
