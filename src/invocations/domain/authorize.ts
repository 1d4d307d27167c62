import { actingAs } from '../../agents/domain/acting.js';
import type { Agent } from '../../agents/domain/agent.js';
import type { Capability } from '../../capabilities/domain/capability.js';
import { entitlement } from '../../capabilities/domain/entitlement.js';
import type { KnownIdentifiers } from '../../capabilities/domain/known-identifiers.js';
import type { Interaction } from '../../interactions/domain/interaction.js';
import type { Caller } from '../../kernel/caller.js';
import type { AgentId } from '../../kernel/ids.js';
import { isBefore, type Timestamp } from '../../kernel/timestamp.js';
import type {
  Authorization,
  AuthorizationCode,
  AuthorizationRefusal,
  Grant,
  NamedContract,
} from './authorization.js';
import type { Ruling, Standing } from './contract-look.js';
import { rulesOf, type PairContracts, type PairRules } from './pair-rules.js';
import { whyNotInForce } from './why-not-in-force.js';

/** What the calling and the hosted agent are, and what is between them, at one moment. */
export interface AgentPair {
  /** Whom the token speaks for; undefined when no such agent is registered. */
  readonly calling: Agent | undefined;
  /** Undefined: not registered, so that it has no contracts either. */
  readonly hosted: Agent | undefined;
  readonly contracts: PairContracts;
  /** The named interaction, when it is one between the two. Only its end is read from it. */
  readonly named: Interaction | undefined;
  /** Of the hosted agent. */
  readonly vocabulary: KnownIdentifiers;
}

/** What of a call bears on whether it is allowed, besides capability and caller. */
export interface AuthorizationRequest {
  /** Null: the message names none. */
  readonly named: NamedContract | null;
}

/**
 * The agent whose contracts with the hosted one must be known for a decision; null when none need be.
 * A contract that is named is looked at even where the capability asks for none: whoever names one
 * relies on its being in force.
 */
export function callingAgentOf(
  capability: Capability | undefined,
  caller: Caller | null,
  request: AuthorizationRequest,
): AgentId | null {
  if (capability === undefined || entitlement(capability, caller) !== 'granted') return null;
  return asksForContract(capability, request) ? (caller?.agent ?? null) : null;
}

/**
 * May the call be made? Asked in the order of `AUTHORIZATION_CODES`; pure, and as cheap with many
 * contracts between the two as with one, once what follows from them was worked out.
 *
 * A capability that asks for a contract is granted by the named one or, if none is named, by the only
 * one that allows the call: role, action, data, delegation and deadline. Prohibitions of all contracts
 * in force between the two come first, whichever is named. If no contract allows the call, the refusal is that
 * of the one that comes closest: what is past its deadline comes closer than what lacks the delegation,
 * that closer than what lacks the data, that closer than what lacks the action, and that closer than
 * what has the caller in another role.
 *
 * A capability that asks for none is granted by entitlement. If the message names a contract all the
 * same, it must be in force under the named terms and no contract between the two may prohibit the
 * call; what it allows, and which approvals it asks for, is then no matter.
 *
 * @param pair null when {@link callingAgentOf} is
 */
export function authorize(
  capability: Capability | undefined,
  caller: Caller | null,
  pair: AgentPair | null,
  request: AuthorizationRequest,
  now: Timestamp,
): Authorization {
  if (capability === undefined) return refusal('not-entitled');
  switch (entitlement(capability, caller)) {
    case 'none':
      return refusal('not-entitled');
    case 'removed':
      return refusal('capability-removed');
    case 'granted':
  }
  if (!asksForContract(capability, request)) return entitlementGrant(capability);
  if (caller === null || caller.agent === null) return refusal('agent-required');
  if (pair === null) return refusal('contract-unreadable');
  const { calling, hosted, contracts, vocabulary } = pair;
  if (calling === undefined || actingAs(caller, calling) === undefined) {
    return refusal('agent-not-acting');
  }
  const refuse: Refuse = (code, ruling) => ({
    ...refusal(code, ruling),
    isParty: contracts.hadAny,
  });
  if (calling.retiredAt !== null || (hosted?.retiredAt ?? null) !== null) {
    return refuse('agent-retired');
  }
  const rules = rulesOf(contracts, vocabulary, capability.manifest, calling);
  const isInForce = (ruling: Ruling | undefined): ruling is Ruling =>
    ruling !== undefined && isBefore(now, ruling.expiresAt);
  if (isInForce(rules.unreadable)) return refuse('contract-unreadable', rules.unreadable);
  if (!contracts.isReliable) return refuse('contract-unreadable');
  const { named } = request;
  const standing = named === null ? undefined : rules.standing(named.interactionId);
  if (named !== null) {
    if (!isInForce(standing))
      return refuse(
        whyNotInForce(pair.named, named, [calling.agentId, capability.manifest.agentId], now),
      );
    if (named.termsHash !== null && named.termsHash !== standing.terms.termsHash) {
      return refuse('terms-superseded', { ...standing, entry: null });
    }
  }
  for (const code of PROHIBITIONS) {
    const ruling = rules.rulings.get(code);
    if (isInForce(ruling)) return refuse(code, ruling);
  }
  if (!capability.manifest.requiresContract) return entitlementGrant(capability);
  if (standing !== undefined) return judgeOne(capability, standing, refuse, now);
  if (!isInForce(rules.inForce)) return refuse('contract-required');
  return judgeAll(capability, rules, refuse, isInForce, now);
}

const PROHIBITIONS = ['action-prohibited', 'data-prohibited', 'prohibition-unclear'] as const;
/** The closest to a grant first. */
const SHORTFALLS = [
  'delegation-not-allowed',
  'data-not-allowed',
  'action-not-allowed',
  'caller-not-initiator',
] as const;

type Refuse = (code: AuthorizationCode, ruling?: Ruling) => AuthorizationRefusal;

function asksForContract({ manifest }: Capability, { named }: AuthorizationRequest): boolean {
  return manifest.requiresContract || named !== null;
}

function judgeOne(
  capability: Capability,
  standing: Standing,
  refuse: Refuse,
  now: Timestamp,
): Authorization {
  if (standing.shortfall !== null) return refuse(standing.shortfall, standing);
  if (isBefore(now, standing.until)) return contractGrant(capability, standing);
  return refuse('deadline-passed', pastDeadline(standing));
}

function judgeAll(
  capability: Capability,
  rules: PairRules,
  refuse: Refuse,
  isInForce: (ruling: Ruling | undefined) => ruling is Ruling,
  now: Timestamp,
): Authorization {
  const [first, ...others] = rules.allowing.filter(({ until }) => isBefore(now, until));
  if (first !== undefined && others.length > 0) {
    const among = [first, ...others].map(({ terms }) => terms);
    return { ...refuse('contract-ambiguous'), among };
  }
  if (first !== undefined) return contractGrant(capability, first);
  const { beyondDeadline } = rules;
  if (beyondDeadline !== undefined && isInForce(beyondDeadline)) {
    return refuse('deadline-passed', pastDeadline(beyondDeadline));
  }
  for (const code of SHORTFALLS) {
    const ruling = rules.rulings.get(code);
    if (isInForce(ruling)) return refuse(code, ruling);
  }
  return refuse('contract-required');
}

function pastDeadline(standing: Standing): Ruling {
  return { ...standing, entry: standing.deadline };
}

function entitlementGrant(capability: Capability): Grant {
  return { kind: 'grant', rule: 'entitlement', capability, terms: null, approvals: [] };
}

function contractGrant(capability: Capability, { terms, approvals }: Standing): Grant {
  return { kind: 'grant', rule: 'allowed-action', capability, terms, approvals };
}

function refusal(code: AuthorizationCode, ruling?: Ruling): AuthorizationRefusal {
  const { terms = null, entry = null } = ruling ?? {};
  return { kind: 'refusal', code, terms, entry, isParty: false };
}
