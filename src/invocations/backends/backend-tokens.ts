import type { RandomBytes } from '../../event-store/command-execution.js';
import { encodeBase64Url } from '../../kernel/base64url.js';
import type { JsonObject } from '../../kernel/json.js';
import type { Rejection } from '../../kernel/rejection.js';
import { ok, type Result } from '../../kernel/result.js';
import type { Clock } from '../../kernel/timestamp.js';
import { CallTokens, type TokenSubject } from '../commands/call-tokens.js';
import type { BackendTokenSigning } from './backend-token-signing.js';

const LIFETIME_SECONDS = 60;

/**
 * The tokens with which backends are called, one per attempt: JWTs (RFC 7519) that say who asks
 * (`sub`), who acts for them (`act`, RFC 8693 section 4.1), for which backend (`aud`), with which of
 * the caller's scopes, under which contract and for which invocation. Of an anonymous caller there is
 * nobody to name: `sub`, `client_id` and `tenant` are missing then, so that a backend which wants to
 * know fails closed.
 *
 * They are no access tokens of this service, whose authenticator refuses their `typ`.
 */
export class BackendTokens extends CallTokens {
  constructor(
    private readonly signing: BackendTokenSigning,
    /** The public base URL: where `/.well-known/jwks.json` verifies them. */
    private readonly issuer: string,
    private readonly clock: Clock,
    private readonly random: RandomBytes,
  ) {
    super();
  }

  override async issue(
    subject: TokenSubject,
    audience: string,
  ): Promise<Result<string, Rejection>> {
    const signer = await this.signing.backendTokenSigner();
    return signer.ok ? ok(await signer.value.sign(this.#claims(subject, audience))) : signer;
  }

  #claims(subject: TokenSubject, audience: string): JsonObject {
    const { agentId, caller, scopes, terms, invocationId } = subject;
    const client = caller?.client ?? null;
    const act: JsonObject = { sub: agentId };
    const issuedAt = Math.floor(this.clock() / 1000);
    return {
      iss: this.issuer,
      ...(caller === null ? {} : { sub: caller.principal, tenant: caller.tenant }),
      ...(client === null ? {} : { client_id: client }),
      act,
      aud: audience,
      // Present when it is empty, too: no verifier may take its absence for everything.
      scope: scopes.join(' '),
      ...(terms === null
        ? {}
        : { interaction_id: terms.interactionId, terms_hash: terms.termsHash }),
      invocation_id: invocationId,
      jti: encodeBase64Url(this.random(16)),
      iat: issuedAt,
      exp: issuedAt + LIFETIME_SECONDS,
    };
  }
}
