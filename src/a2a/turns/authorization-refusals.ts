import type {
  AuthorizationCode,
  AuthorizationRefusal,
} from '../../invocations/domain/authorization.js';
import type { SkillId } from '../../kernel/ids.js';
import type { A2aRefusal } from '../wire/refusal.js';

/** Codes by which the caller learns that there is the capability, and why it may not be called. */
export type ContractCode = Exclude<AuthorizationCode, 'not-entitled' | 'capability-removed'>;

/** What each code says to whoever is refused by it. */
const CONTRACT_REFUSALS: Readonly<Record<ContractCode, string>> = {
  'agent-required':
    'The capability is called under a contract: use a token that speaks for an agent.',
  'agent-not-acting':
    'The token may not act as the agent that it names, or that agent is not registered.',
  'agent-retired': 'One of the two agents is retired.',
  'contract-unreadable':
    'A contract between the two agents cannot be read, so that nothing is granted.',
  'contract-not-found': 'The message names an interaction that is none between the two agents.',
  'contract-not-in-force': 'The terms of the named interaction never came into force.',
  'contract-expired': 'The contract has expired.',
  'contract-ended': 'The contract was cancelled or completed.',
  'terms-superseded': 'Other terms are in force than those that the message names.',
  'action-prohibited': 'A contract in force between the two agents prohibits the action.',
  'data-prohibited': 'A contract in force between the two agents prohibits the data.',
  'prohibition-unclear':
    'A contract in force between the two agents has a prohibition that is no known identifier, which prohibits everything.',
  'contract-required': 'The capability is only called under a contract, and none is in force.',
  'caller-not-initiator': 'Only the initiator of the contract calls the capability.',
  'action-not-allowed': 'No contract in force between the two agents allows the action.',
  'data-not-allowed': 'The contract does not allow all the data that the capability needs.',
  'delegation-not-allowed':
    'Another agent carries out the capability, and no delegation rule of the contract names that agent.',
  'deadline-passed': 'The deadline of the contract has passed.',
  'contract-ambiguous':
    'Several contracts allow the call: name one in the metadata of the message.',
};

/** Entries of terms that both parties know, and a name that stands on cards. Others would tell what a manifest says. */
const TELLING: ReadonlySet<AuthorizationCode> = new Set<AuthorizationCode>([
  'action-prohibited',
  'data-prohibited',
  'prohibition-unclear',
  'delegation-not-allowed',
]);
const MAX_ENTRY_LENGTH = 255;

/**
 * Why a call is refused that its caller may know of. The contract that decided, and its entry, are
 * named to a party of it alone.
 * @param hasToken false: of a caller without one, who is told to get one
 */
export function contractRefusal(
  skillId: SkillId,
  { code, terms, entry, isParty }: AuthorizationRefusal & { readonly code: ContractCode },
  hasToken: boolean,
): A2aRefusal {
  if (!hasToken && code === 'agent-required') {
    const detail =
      'The capability is called under a contract: send a token that speaks for an agent.';
    return { error: 'UnsupportedOperation', code: 'token-required', detail, metadata: { skillId } };
  }
  const isTold = isParty && entry !== null && TELLING.has(code);
  return {
    error: 'UnsupportedOperation',
    code,
    detail: `${CONTRACT_REFUSALS[code]} Nothing was run.`,
    metadata: {
      skillId,
      ...(isParty && terms !== null ? { interactionId: terms.interactionId } : {}),
      ...(isTold ? { entry: entry.slice(0, MAX_ENTRY_LENGTH) } : {}),
    },
  };
}

/** Does the code say that the caller may know of the capability, as it is? */
export function isOfContract(code: AuthorizationCode): code is ContractCode {
  return code !== 'not-entitled' && code !== 'capability-removed';
}
