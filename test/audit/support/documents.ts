import type { KeyObject } from 'node:crypto';
import { createPublicKey } from 'node:crypto';
import { attestRevision } from '../../../src/kernel/attestation.js';
import {
  privateKeyObject,
  signEd25519,
  type Ed25519Jwk,
  type Ed25519PrivateJwk,
} from '../../../src/kernel/ed25519.js';
import type {
  Acceptance,
  Contract,
  ContractRevision,
  FederatedInteraction,
  InteractionStatus,
  RevisionStatus,
  UnattestedRevision,
} from '../../../src/kernel/federated-interaction.js';
import type { AgentId, InteractionId, KeyId, TermsHash, Uuid } from '../../../src/kernel/ids.js';
import {
  makeStatement,
  statementText,
  type AcceptanceStatement,
} from '../../../src/kernel/statements.js';
import { termsHash } from '../../../src/kernel/terms.js';
import { millisecondsOf, timestampOf, type Timestamp } from '../../../src/kernel/timestamp.js';

/**
 * Interaction documents with real keys and real signatures, as the service would emit them, and, on
 * request, ones that are wrong in one respect although everything about them is signed and attested.
 */

export interface Signer {
  readonly agentId: AgentId;
  readonly keyId: KeyId;
  readonly jwk: Ed25519Jwk;
  readonly key: KeyObject;
  readonly privateJwk: Ed25519PrivateJwk & { readonly kid: string };
}

export function signer(agentId: string, seed: number, keyId = `${agentId}#1`): Signer {
  const d = Buffer.alloc(32, seed).toString('base64url');
  // Node derives the public half from the seed alone.
  const pkcs8 = privateKeyObject({ kty: 'OKP', crv: 'Ed25519', x: 'A'.repeat(43), d });
  const { x = '' } = createPublicKey(pkcs8).export({ format: 'jwk' });
  const jwk = { kty: 'OKP', crv: 'Ed25519', x } as const;
  return {
    agentId: agentId as AgentId,
    keyId: keyId as KeyId,
    jwk,
    key: privateKeyObject({ ...jwk, d }),
    privateJwk: { ...jwk, d, kid: keyId },
  };
}

export const alpha = signer('agent-alpha', 1);
export const beta = signer('agent-beta', 2);
export const gamma = signer('constructor', 3);
export const platform = signer('platform', 9, 'platform-1');

export const AUDIENCE = 'https://countersign.example';
export const INTERACTION = '7c9e6679-7425-40de-944b-e07fc1f90ae7' as InteractionId;
export const EXPIRES_AT = '2030-02-01T00:00:00.000Z' as Timestamp;
/** When revision 1 is proposed; each further revision follows after ten minutes. */
export const START = '2030-01-01T00:00:00.000Z' as Timestamp;

export function after(moment: Timestamp, seconds: number): Timestamp {
  return timestampOf(millisecondsOf(moment) + seconds * 1000);
}

/** Revision n is proposed at `proposedAt(n)` and answered five minutes later. */
export function proposedAt(revision: number): Timestamp {
  return after(START, (revision - 1) * 600);
}
export function answeredAt(revision: number): Timestamp {
  return after(proposedAt(revision), 300);
}

export const CONTRACT: Contract = {
  protocolVersion: '0.1',
  interactionId: INTERACTION,
  purpose: 'Translate a leaflet',
  parties: [alpha.agentId, beta.agentId],
  taskCategory: 'translation',
  requestedOutcome: 'A German text, naïve “quotes” kept',
  successCriteria: ['All 12 sections present'],
  allowedActions: ['translate'],
  prohibitedActions: ['publish'],
  allowedData: [],
  prohibitedData: ['credentials'],
  deadline: '2030-01-20T00:00:00Z' as Timestamp,
  evidenceRequirements: ['checksum'],
  delegationRules: [],
  humanApprovalRequirements: [],
  factCheckingPolicy: 'important_claims',
  mediationPolicy: 'mutual_consent',
  retentionDays: 30,
  completionConditions: ['delivered'],
  cancellationConditions: ['either_party_before_completion'],
  signatures: {},
};

export interface RevisionSpec {
  readonly by: Signer;
  readonly status: RevisionStatus;
  /** Who else accepted. */
  readonly and?: readonly Signer[];
  readonly contract?: Partial<Contract>;
  /** Changes the document before it is attested. */
  readonly change?: (revision: UnattestedRevision) => UnattestedRevision;
}

export interface InteractionSpec {
  readonly status: InteractionStatus;
  readonly revisions: readonly RevisionSpec[];
  readonly change?: Partial<FederatedInteraction>;
}

export function signAcceptance(
  by: Signer,
  of: Pick<UnattestedRevision, 'revision' | 'termsHash'> &
    Partial<Pick<UnattestedRevision, 'previousTermsHash' | 'interactionId' | 'expiresAt'>>,
  acceptedAt: Timestamp,
  audience = AUDIENCE,
): Acceptance {
  const statement = makeStatement<AcceptanceStatement>('federated-interaction/acceptance', {
    audience,
    interactionId: of.interactionId ?? INTERACTION,
    revision: of.revision,
    previousTermsHash: of.previousTermsHash ?? null,
    termsHash: of.termsHash,
    expiresAt: of.expiresAt ?? EXPIRES_AT,
    agentId: by.agentId,
    method: 'ed25519',
    acceptedAt,
  });
  const value = signEd25519(by.key, statementText(statement));
  return {
    agentId: by.agentId,
    method: 'ed25519',
    termsHash: of.termsHash,
    acceptedAt,
    signature: { algorithm: 'Ed25519', keyId: by.keyId, value },
  };
}

export function attested(revision: UnattestedRevision, by = platform): ContractRevision {
  return { ...revision, platformAttestation: attestRevision(revision, by.keyId, by.key) };
}

function revisionOf(
  spec: RevisionSpec,
  revision: number,
  previousTermsHash: TermsHash | undefined,
): ContractRevision {
  const contract = { ...CONTRACT, purpose: `Terms ${revision}`, ...spec.contract };
  const hash = termsHash(contract);
  const link = previousTermsHash === undefined ? {} : { previousTermsHash };
  const terms = { revision, termsHash: hash, ...link };
  const createdAt = proposedAt(revision);
  const others = spec.and ?? [];
  const updatedAt =
    spec.status === 'superseded'
      ? proposedAt(revision + 1)
      : spec.status === 'proposed' && others.length === 0
        ? createdAt
        : answeredAt(revision);
  // Signed a second before the server recorded it.
  const acceptances = [
    signAcceptance(spec.by, terms, after(createdAt, -1)),
    ...others.map((by) => signAcceptance(by, terms, after(answeredAt(revision), -1))),
  ];
  const document: UnattestedRevision = {
    revisionId: `00000000-0000-4000-8000-${String(revision).padStart(12, '0')}` as Uuid,
    interactionId: INTERACTION,
    ...terms,
    contract,
    proposedByAgentId: spec.by.agentId,
    status: spec.status,
    acceptances: Object.fromEntries(acceptances.map((each) => [each.agentId, each])),
    createdAt,
    updatedAt,
    expiresAt: EXPIRES_AT,
  };
  const changed = spec.change?.(document) ?? document;
  return changed.status === 'accepted' ? attested(changed) : changed;
}

const transport = (host: string) =>
  ({
    protocol: 'A2A/1.0',
    protocolBinding: 'JSONRPC',
    endpoint: `https://${host}.example/a2a`,
    managedBy: 'agent',
  }) as const;

export function interactionOf(spec: InteractionSpec): FederatedInteraction {
  const revisions: ContractRevision[] = [];
  for (const revision of spec.revisions) {
    revisions.push(revisionOf(revision, revisions.length + 1, revisions.at(-1)?.termsHash));
  }
  const shown = revisions.findLast(({ status }) => status === 'accepted') ?? revisions.at(-1)!;
  return {
    protocolVersion: '0.1',
    interactionId: INTERACTION,
    initiatorAgentId: alpha.agentId,
    responderAgentId: beta.agentId,
    status: spec.status,
    contract: shown.contract,
    termsHash: shown.termsHash,
    acceptances: shown.acceptances,
    contractRevision: shown.revision,
    contractRevisions: revisions,
    initiatorTransport: transport('alpha'),
    responderTransport: transport('beta'),
    createdAt: revisions[0]!.createdAt,
    updatedAt: spec.status === 'expired' ? EXPIRES_AT : revisions.at(-1)!.updatedAt,
    expiresAt: EXPIRES_AT,
    ...spec.change,
  };
}

/** A counter-proposal, accepted; an amendment, rejected; another one, still open. */
export function negotiated(): FederatedInteraction {
  return interactionOf({
    status: 'active',
    revisions: [
      { by: alpha, status: 'superseded' },
      { by: beta, status: 'accepted', and: [alpha] },
      { by: beta, status: 'rejected' },
      { by: alpha, status: 'proposed' },
    ],
  });
}

export interface KeyEntry {
  keyId: string;
  jwk: object;
  from: string;
  until: string | null;
  revoked: string | null;
}

export interface KeysDocument {
  audience: string;
  agents: Record<string, KeyEntry[]>;
  platform: (KeyEntry & { purpose: string })[];
}

export function keyEntry({ keyId, jwk }: Signer, change: Partial<KeyEntry> = {}): KeyEntry {
  return { keyId, jwk, from: '2029-01-01T00:00:00.000Z', until: null, revoked: null, ...change };
}

export function keysDocument(): KeysDocument {
  return {
    audience: AUDIENCE,
    agents: {
      [alpha.agentId]: [keyEntry(alpha)],
      [beta.agentId]: [keyEntry(beta)],
      [gamma.agentId]: [keyEntry(gamma)],
    },
    platform: [{ ...keyEntry(platform), purpose: 'attestation' }],
  };
}
