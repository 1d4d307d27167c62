import { canonicalJson } from './canonical-json.js';
import { hashJson, sha256 } from './digest.js';
import { verifyEd25519, type Ed25519Jwk } from './ed25519.js';
import { PROTOCOL_VERSION } from './federated-interaction.js';
import type { AgentId, InteractionId, KeyId, TermsHash } from './ids.js';
import type { Timestamp } from './timestamp.js';

/**
 * What agents sign: Ed25519 over UTF-8(JCS(statement)). Every statement says what it is for, on
 * which platform (`audience`: the public base URL, no trailing slash) and by whom, so that a
 * signature made for another purpose, platform, interaction, revision, history or party never fits.
 */
export type Statement =
  | AcceptanceStatement
  | ProposalStatement<'federated-interaction/rejection'>
  | ProposalStatement<'federated-interaction/withdrawal'>
  | CancellationStatement
  | CompletionStatement
  | ErasureConsentStatement
  | KeyProofStatement
  | AgentChangeStatement;

interface Signed<Name extends string> {
  readonly statement: Name;
  readonly protocolVersion: typeof PROTOCOL_VERSION;
  readonly audience: string;
  readonly agentId: AgentId;
}

export interface AcceptanceStatement extends Signed<'federated-interaction/acceptance'> {
  readonly interactionId: InteractionId;
  readonly revision: number;
  /** The hash of revision n-1, null at revision 1. */
  readonly previousTermsHash: TermsHash | null;
  readonly termsHash: TermsHash;
  /** The interaction's `expiresAt`, verbatim. */
  readonly expiresAt: Timestamp;
  readonly method: 'ed25519';
  readonly acceptedAt: Timestamp;
}

interface ProposalStatement<Name extends string> extends Signed<Name> {
  readonly interactionId: InteractionId;
  readonly revision: number;
  readonly termsHash: TermsHash;
  readonly reasonHash: string | null;
  readonly signedAt: Timestamp;
}

export type RejectionStatement = ProposalStatement<'federated-interaction/rejection'>;
export type WithdrawalStatement = ProposalStatement<'federated-interaction/withdrawal'>;

export interface CancellationStatement extends Signed<'federated-interaction/cancellation'> {
  readonly interactionId: InteractionId;
  /** Of the terms in force, else of the newest proposal. */
  readonly termsHash: TermsHash;
  readonly reasonHash: string | null;
  readonly signedAt: Timestamp;
}

export interface CompletionStatement extends Signed<'federated-interaction/completion'> {
  readonly interactionId: InteractionId;
  readonly termsHash: TermsHash;
  readonly reportHash: string;
  readonly signedAt: Timestamp;
}

export interface ErasureConsentStatement extends Signed<'federated-interaction/erasure-consent'> {
  readonly interactionId: InteractionId;
  readonly signedAt: Timestamp;
}

export interface KeyProofStatement extends Signed<'agent/key-proof'> {
  /** RFC 7638 thumbprint of the key that signs. */
  readonly jwkThumbprint: string;
  readonly keyId: KeyId;
  readonly signedAt: Timestamp;
}

export interface AgentChangeStatement extends Signed<'agent/change'> {
  /** {@link changeHash} of the request body without its signature. */
  readonly changeHash: string;
  readonly signedAt: Timestamp;
}

/** The members of a statement besides `statement` and `protocolVersion`, which the maker fills in. */
export type StatementMembers<S extends Statement> = Omit<S, 'statement' | 'protocolVersion'>;

/**
 * A statement of a kind, complete with `statement` and `protocolVersion` "0.1". Nothing is checked:
 * what comes from outside goes through `validateStatement`.
 *
 * @param name the member `statement`, such as `agent/key-proof`
 */
export function makeStatement<S extends Statement>(
  name: S['statement'],
  members: StatementMembers<S>,
): S {
  // Spread last: members that are added to a spread object cost V8 several times as much.
  return { statement: name, protocolVersion: PROTOCOL_VERSION, ...members } as unknown as S;
}

/** The text whose UTF-8 bytes are signed. */
export function statementText(statement: Statement): string {
  return canonicalJson(statement);
}

/** b64u(SHA-256(UTF-8(reason))), or null without a reason. */
export function reasonHash(reason: string | undefined): string | null {
  return reason === undefined ? null : sha256(reason);
}

/** b64u(SHA-256(JCS(report))). */
export function reportHash(report: unknown): string {
  return hashJson(report);
}

/** b64u(SHA-256(JCS(body))), of a request body without its `signature` member. */
export function changeHash(body: object): string {
  return hashJson({ ...body, signature: undefined });
}

/**
 * Is `signature` (base64url without padding, 64 bytes) one by this key over {@link statementText}?
 * Every fault of the signature's spelling, range or value is `false`. Says nothing of the key's window
 * nor of the signed moment. Strict Ed25519: see `verifyEd25519`.
 */
export function verifyStatement(jwk: Ed25519Jwk, statement: Statement, signature: string): boolean {
  return verifyEd25519(jwk, statementText(statement), signature);
}
