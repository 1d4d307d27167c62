import { delegateOf } from '../../capabilities/domain/delegate.js';
import type { KnownIdentifiers } from '../../capabilities/domain/known-identifiers.js';
import type { Manifest } from '../../capabilities/domain/manifest.js';
import type { Interaction } from '../../interactions/domain/interaction.js';
import { revisionInForce } from '../../interactions/domain/revisions.js';
import { ERASED } from '../../kernel/event.js';
import type { Contract } from '../../kernel/federated-interaction.js';
import type { AgentId } from '../../kernel/ids.js';
import { earliest, type Timestamp } from '../../kernel/timestamp.js';
import type { GoverningTerms } from './authorization.js';
import { proseIn, type IsKnown } from './entries.js';

/** The rules of contracts that a call can fail, whatever the time is. */
export type Prohibition = 'action-prohibited' | 'data-prohibited' | 'prohibition-unclear';
export type Shortfall =
  'caller-not-initiator' | 'action-not-allowed' | 'data-not-allowed' | 'delegation-not-allowed';

/** A rule of terms that decides for as long as they are in force. */
export interface Ruling {
  readonly terms: GoverningTerms;
  readonly expiresAt: Timestamp;
  /** The entry or the value that decides, null for none. */
  readonly entry: string | null;
}

/** One contract and one capability: what its terms say, whatever the time is. */
export interface Standing extends Ruling {
  /** Null: the terms allow the call until {@link until}. */
  readonly shortfall: Shortfall | null;
  readonly deadline: Timestamp | null;
  /** The earlier of expiry and deadline. */
  readonly until: Timestamp;
  /** See `Grant.approvals`. */
  readonly approvals: readonly string[];
}

/** What one interaction says of one capability. */
export interface Look {
  readonly ruling: Ruling;
  readonly prohibitions: readonly (readonly [Prohibition, Ruling])[];
  /** Null: its texts are erased. */
  readonly standing: Standing | null;
}

/**
 * Null: it has no terms in force between the two. Entries are understood as they were when the terms
 * were proposed.
 */
export function look(
  interaction: Interaction,
  known: KnownIdentifiers,
  manifest: Manifest,
  caller: AgentId,
): Look | null {
  const revision = revisionInForce(interaction);
  if (revision === undefined || !isBetween(interaction, caller, manifest.agentId)) return null;
  const { interactionId, expiresAt, initiatorAgentId } = interaction;
  const { termsHash, contract, createdAt } = revision;
  const terms = { interactionId, revision: revision.revision, termsHash };
  const ruling: Ruling = { terms, expiresAt, entry: null };
  if (contract === ERASED) return { ruling, prohibitions: [], standing: null };
  const isKnown: IsKnown = (entry) => known.has(entry, createdAt);
  return {
    ruling,
    prohibitions: prohibitionsOf(contract, isKnown, manifest).map(([code, entry]) => [
      code,
      { ...ruling, entry },
    ]),
    standing: standingOf(ruling, contract, isKnown, manifest, initiatorAgentId === caller),
  };
}

/** Both are parties of it, and not the same one. */
function isBetween({ status, parties }: Interaction, caller: AgentId, hosted: AgentId): boolean {
  return (
    status === 'active' && caller !== hosted && parties.includes(caller) && parties.includes(hosted)
  );
}

function standingOf(
  ruling: Ruling,
  contract: Contract,
  isKnown: IsKnown,
  manifest: Manifest,
  isInitiator: boolean,
): Standing {
  const { action, data, callers } = manifest;
  const deadline = contract.deadline ?? null;
  const until = deadline === null ? ruling.expiresAt : earliest(ruling.expiresAt, deadline);
  const short = (shortfall: Shortfall, entry: string | null): Standing => ({
    ...ruling,
    ...{ shortfall, entry, deadline, until, approvals: [] },
  });
  if (callers === 'initiator' && !isInitiator) return short('caller-not-initiator', null);
  // A manifest that asks for a contract names an action; without one, no terms can allow it.
  if (action === null || !contract.allowedActions.includes(action)) {
    return short('action-not-allowed', action);
  }
  const missing = data.find((value) => !contract.allowedData.includes(value));
  if (missing !== undefined) return short('data-not-allowed', missing);
  const delegate = delegateOf(manifest);
  if (delegate !== undefined && !contract.delegationRules.some((rule) => rule === delegate.name)) {
    return short('delegation-not-allowed', delegate.name);
  }
  const approvals = contract.humanApprovalRequirements.filter(
    (entry) => entry === action || data.includes(entry) || !isKnown(entry),
  );
  return { ...ruling, shortfall: null, deadline, until, approvals };
}

/**
 * An entry prohibits what it names in whichever of the two lists it stands: one that was filed in the
 * wrong list shall not fail open.
 */
function prohibitionsOf(
  { prohibitedActions, prohibitedData }: Contract,
  isKnown: IsKnown,
  { action, data }: Manifest,
): readonly (readonly [Prohibition, string])[] {
  const isProhibited = (value: string): boolean =>
    prohibitedActions.includes(value) || prohibitedData.includes(value);
  const found: [Prohibition, string][] = [];
  if (action !== null && isProhibited(action)) found.push(['action-prohibited', action]);
  const value = data.find(isProhibited);
  if (value !== undefined) found.push(['data-prohibited', value]);
  const prose = proseIn(prohibitedActions, isKnown) ?? proseIn(prohibitedData, isKnown);
  if (prose !== undefined) found.push(['prohibition-unclear', prose]);
  return found;
}
