import type { Agent } from '../../agents/domain/agent.js';
import { PROTOCOL_VERSION, type Contract } from '../../kernel/federated-interaction.js';
import type { AgentId, InteractionId, TermsHash } from '../../kernel/ids.js';
import type { Rejection } from '../../kernel/rejection.js';
import type { Revision } from './interaction.js';
import {
  compareTimestamps,
  isBefore,
  millisecondsOf,
  timestampOf,
  type Timestamp,
} from '../../kernel/timestamp.js';

/** The domain's rules on top of the wire schema. Each answers its refusal, or `undefined`. */

export const MAX_PARTIES = 16;
export const MAX_REVISIONS = 200;
/** Of all terms of an interaction together, in characters of JSON: every answer carries them all. */
export const MAX_TERMS_LENGTH = 4 * 1024 * 1024;
export const MAX_LIFETIME_MS = 366 * 24 * 60 * 60 * 1000;

/** `contract-mismatch`, `signatures-not-empty`: the contract is this interaction's and unsigned. */
export function contractBelongs(
  contract: Contract,
  interactionId: InteractionId,
): Rejection | undefined {
  const version: string = contract.protocolVersion;
  if (contract.interactionId !== interactionId || version !== PROTOCOL_VERSION) {
    return { code: 'contract-mismatch' };
  }
  if (Object.keys(contract.signatures).length > 0) return { code: 'signatures-not-empty' };
  return undefined;
}

/** `parties-invalid`: 2 to 16, unique, initiator and responder among them and different. */
export function partiesFit(
  parties: readonly AgentId[],
  initiator: AgentId,
  responder: AgentId,
): Rejection | undefined {
  const unique = new Set(parties);
  const fit =
    parties.length >= 2 &&
    parties.length <= MAX_PARTIES &&
    unique.size === parties.length &&
    initiator !== responder &&
    unique.has(initiator) &&
    unique.has(responder);
  return fit ? undefined : { code: 'parties-invalid' };
}

/** `parties-changed`: the same agents, in whatever order the new terms list them. */
export function partiesSame(
  parties: readonly AgentId[],
  fixed: readonly AgentId[],
): Rejection | undefined {
  const unique = new Set(parties);
  const same = parties.length === fixed.length && fixed.every((party) => unique.has(party));
  return same ? undefined : { code: 'parties-changed' };
}

/**
 * `party-not-registered`: a retired agent counts as not registered. Asked again of every revision
 * and acceptance, so that nothing comes into force with a party that is no more.
 */
export function partiesRegistered(
  parties: readonly AgentId[],
  agents: ReadonlyMap<AgentId, Agent>,
): Rejection | undefined {
  for (const party of parties) {
    const agent = agents.get(party);
    if (agent === undefined || agent.retiredAt !== null) {
      return { code: 'party-not-registered', detail: `${party} is not registered, or is retired.` };
    }
  }
  return undefined;
}

/** `expiry-invalid`: after now, at most 366 days ahead. */
export function expiryFits(expiresAt: Timestamp, now: Timestamp): Rejection | undefined {
  const last = timestampOf(millisecondsOf(now) + MAX_LIFETIME_MS);
  const fits = isBefore(now, expiresAt) && compareTimestamps(expiresAt, last) <= 0;
  return fits ? undefined : { code: 'expiry-invalid' };
}

/** `deadline-invalid`: new terms have no deadline or one that lies ahead. */
export function deadlineAhead(contract: Contract, now: Timestamp): Rejection | undefined {
  return isPast(contract, now) ? { code: 'deadline-invalid' } : undefined;
}

/** `deadline-passed`: nobody accepts terms at their deadline or after it. */
export function deadlineOpen(contract: Contract, now: Timestamp): Rejection | undefined {
  return isPast(contract, now) ? { code: 'deadline-passed' } : undefined;
}

/** `terms-hash-mismatch`: a hash that a client sends is only compared with the recomputed one. */
export function hashAgrees(
  claimed: TermsHash | undefined,
  recomputed: TermsHash,
): Rejection | undefined {
  return claimed === undefined || claimed === recomputed
    ? undefined
    : { code: 'terms-hash-mismatch' };
}

function isPast({ deadline }: Contract, now: Timestamp): boolean {
  return deadline !== undefined && !isBefore(now, deadline);
}

/** `too-many-revisions`: there is room for another revision, in number and in length. */
export function revisionsFit(
  revisions: readonly Revision[],
  next: Contract,
): Rejection | undefined {
  const lengths = revisions.map(({ contract }) => JSON.stringify(contract).length);
  const length = lengths.reduce((sum, each) => sum + each, JSON.stringify(next).length);
  return revisions.length < MAX_REVISIONS && length <= MAX_TERMS_LENGTH
    ? undefined
    : { code: 'too-many-revisions' };
}
