import type {
  AuthorizationCode,
  GrantRule,
} from '../../../src/invocations/domain/authorization.js';
import type { Contract } from '../../../src/kernel/federated-interaction.js';
import type { AgentId } from '../../../src/kernel/ids.js';
import type { Timestamp } from '../../../src/kernel/timestamp.js';
import type { CapabilityChanges } from '../../capabilities/support/capabilities.js';
import { BEGINNING, EXPIRY, IN_TIME, type Agreement } from '../support/agreements.js';
import { invokedOn } from '../support/invoked-on.js';

export const HOSTED = 'finance-agent' as AgentId;
export const PARTNER = 'partner-agent' as AgentId;
export const BROKER = 'broker-agent' as AgentId;

/** What manifests of the hosted agent knew from the beginning, with the setting. */
export const VOCABULARY = ['reconcile', 'pay', 'invoices', 'orders', 'payroll'];

/** Who calls: a token, and what is registered of its agent. */
export type Who =
  | 'the partner'
  | 'the partner, its client alone'
  | 'nobody'
  | 'a token for no agent'
  | 'a token of another tenant'
  | 'a token for an agent that is not registered'
  | 'the broker'
  | 'the hosted agent'
  | 'the retired partner'
  | 'the partner without scopes'
  | 'the partner, hosted agent retired';

export type Expected =
  | {
      readonly grant: GrantRule;
      readonly by?: string;
      /** Of the contract; 1 unless said. */
      readonly revision?: number;
      readonly approvals?: readonly string[];
    }
  | {
      readonly refusal: AuthorizationCode;
      readonly by?: string;
      readonly revision?: number;
      readonly entry?: string;
      /** True wherever a contract is or was in force, unless said otherwise. */
      readonly isParty?: boolean;
      readonly among?: readonly string[];
    };

/** One row: who calls what, what is between the two, what the message names, when, and the verdict. */
export interface AuthorizationCase {
  readonly name: string;
  /** The capability asks for a contract that allows to reconcile invoices, but for this; null: none. */
  readonly capability?: CapabilityChanges | null;
  readonly who?: Who;
  readonly between?: readonly Agreement[];
  /** What manifests of an agent had, each from a moment on; the broker is hosted for another tenant. */
  readonly learned?: readonly {
    readonly value: string;
    readonly since: Timestamp;
    readonly agentId: AgentId;
  }[];
  readonly isUnreliable?: boolean;
  readonly names?: {
    readonly contract: string;
    /** A revision whose terms hash is named, too. */
    readonly revision?: number;
  };
  readonly now?: Timestamp;
  readonly expected: Expected;
}

const ALLOWING: Partial<Contract> = { allowedActions: ['reconcile'], allowedData: ['invoices'] };

function ours(changes: Partial<Agreement> = {}): Agreement {
  const { terms, ...rest } = changes;
  return {
    name: 'ours',
    initiator: PARTNER,
    responder: HOSTED,
    terms: { ...ALLOWING, ...terms },
    ...rest,
  };
}

const other = (changes: Partial<Agreement> = {}): Agreement => ours({ name: 'other', ...changes });
const theirs = (changes: Partial<Agreement> = {}): Agreement =>
  ours({ initiator: HOSTED, responder: PARTNER, ...changes });

const FREE: CapabilityChanges = { requiresContract: false, action: null, data: [] };
const GRANTED: Expected = { grant: 'allowed-action', by: 'ours' };
const AFTERWARDS = '2030-01-01T00:00:00.001Z' as Timestamp;
const at = (text: string): Timestamp => text as Timestamp;

const ENTITLEMENT: readonly AuthorizationCase[] = [
  {
    name: 'an unknown capability does not exist',
    capability: null,
    between: [ours()],
    expected: { refusal: 'not-entitled', isParty: false },
  },
  {
    name: 'an internal capability is nobody’s, whatever the contract says',
    capability: { visibility: 'internal' },
    between: [ours()],
    expected: { refusal: 'not-entitled', isParty: false },
  },
  {
    name: 'missing scopes come before everything that a contract allows',
    capability: { visibility: 'extended', requiresScopes: ['recon.run'] },
    who: 'the partner without scopes',
    between: [ours()],
    expected: { refusal: 'not-entitled', isParty: false },
  },
  {
    name: 'scopes and contract',
    capability: { visibility: 'extended', requiresScopes: ['recon.run'] },
    between: [ours()],
    expected: GRANTED,
  },
  {
    name: 'another tenant than the capability is for',
    capability: { visibility: 'extended', tenants: ['rival'] },
    between: [ours()],
    expected: { refusal: 'not-entitled', isParty: false },
  },
  {
    name: 'a preview without an opt-in',
    capability: { state: 'preview' },
    between: [ours()],
    expected: { refusal: 'not-entitled', isParty: false },
  },
  {
    name: 'a preview with an opt-in still asks for the contract',
    capability: { state: 'preview', optedIn: [PARTNER] },
    expected: { refusal: 'contract-required' },
  },
  {
    name: 'a preview with opt-in and contract',
    capability: { state: 'preview', optedIn: [PARTNER] },
    between: [ours()],
    expected: GRANTED,
  },
  {
    name: 'a removed capability, for callers that could have used it',
    capability: { state: 'removed' },
    between: [ours()],
    expected: { refusal: 'capability-removed', isParty: false },
  },
  {
    name: 'a removed capability, for callers that could not',
    capability: { state: 'removed', visibility: 'extended', requiresScopes: ['recon.run'] },
    who: 'the partner without scopes',
    expected: { refusal: 'not-entitled' },
  },
  {
    name: 'a deprecated capability still works',
    capability: { state: 'deprecated' },
    between: [ours()],
    expected: GRANTED,
  },
];

const WITHOUT_CONTRACT: readonly AuthorizationCase[] = [
  {
    name: 'asks for none: entitlement is enough for anybody',
    capability: FREE,
    who: 'nobody',
    expected: { grant: 'entitlement' },
  },
  {
    name: 'asks for none: what contracts prohibit is no matter while none is named',
    capability: { ...FREE, action: 'reconcile' },
    between: [ours({ terms: { prohibitedActions: ['reconcile'] } })],
    expected: { grant: 'entitlement' },
  },
  {
    name: 'asks for none, names one in force',
    capability: FREE,
    between: [ours()],
    names: { contract: 'ours' },
    expected: { grant: 'entitlement' },
  },
  {
    name: 'asks for none, names one in force that allows nothing',
    capability: { ...FREE, action: 'pay' },
    between: [ours({ terms: { allowedActions: [] } })],
    names: { contract: 'ours' },
    expected: { grant: 'entitlement' },
  },
  {
    name: 'asks for none, names one in force with approvals',
    capability: FREE,
    between: [ours({ terms: { humanApprovalRequirements: ['Ask Ada'] } })],
    names: { contract: 'ours' },
    expected: { grant: 'entitlement', approvals: [] },
  },
  {
    name: 'asks for none, names one that is none',
    capability: FREE,
    between: [ours()],
    names: { contract: 'invented' },
    expected: { refusal: 'contract-not-found' },
  },
  {
    name: 'asks for none, names one that has ended',
    capability: FREE,
    between: [ours({ became: 'cancelled' })],
    names: { contract: 'ours' },
    expected: { refusal: 'contract-ended' },
  },
  {
    name: 'asks for none, names superseded terms',
    capability: FREE,
    between: [ours({ amended: { ...ALLOWING, purpose: 'Another' } })],
    names: { contract: 'ours', revision: 1 },
    expected: { refusal: 'terms-superseded', by: 'ours', revision: 2 },
  },
  {
    name: 'asks for none, names one that prohibits the action',
    capability: { ...FREE, action: 'pay' },
    between: [ours({ terms: { prohibitedActions: ['pay'] } })],
    names: { contract: 'ours' },
    expected: { refusal: 'action-prohibited', by: 'ours', entry: 'pay' },
  },
  {
    name: 'asks for none, names one while another prohibits the data',
    capability: { ...FREE, data: ['payroll'] },
    between: [ours(), other({ terms: { prohibitedData: ['payroll'] } })],
    names: { contract: 'ours' },
    expected: { refusal: 'data-prohibited', by: 'other', entry: 'payroll' },
  },
  {
    name: 'asks for none, names one with a prohibition in prose',
    capability: FREE,
    between: [ours({ terms: { prohibitedActions: ['anything silly'] } })],
    names: { contract: 'ours' },
    expected: { refusal: 'prohibition-unclear', by: 'ours', entry: 'anything silly' },
  },
  {
    name: 'asks for none, names one without a token',
    capability: FREE,
    who: 'nobody',
    between: [ours()],
    names: { contract: 'ours' },
    expected: { refusal: 'agent-required', isParty: false },
  },
];

const WHO: readonly AuthorizationCase[] = [
  {
    name: 'nobody has a contract',
    who: 'nobody',
    between: [ours()],
    expected: { refusal: 'agent-required', isParty: false },
  },
  {
    name: 'a token that speaks for no agent has none either, even its owner’s',
    who: 'a token for no agent',
    between: [ours()],
    expected: { refusal: 'agent-required', isParty: false },
  },
  {
    name: 'a token of another tenant that names the agent',
    who: 'a token of another tenant',
    between: [ours()],
    expected: { refusal: 'agent-not-acting', isParty: false },
  },
  {
    name: 'a token for an agent that is not registered',
    who: 'a token for an agent that is not registered',
    between: [ours()],
    expected: { refusal: 'agent-not-acting', isParty: false },
  },
  {
    name: 'a token that is bound to the agent by its claim alone',
    who: 'the partner, its client alone',
    between: [ours()],
    expected: GRANTED,
  },
  {
    name: 'a token of another agent, which is no party',
    who: 'the broker',
    between: [ours()],
    expected: { refusal: 'contract-required', isParty: false },
  },
  {
    name: 'a contract with the broker, named by the broker, does not serve the partner',
    between: [ours({ name: 'brokered', initiator: BROKER })],
    names: { contract: 'brokered' },
    expected: { refusal: 'contract-not-found' },
  },
  {
    name: 'an agent has no contract with itself',
    who: 'the hosted agent',
    between: [theirs({ terms: ALLOWING })],
    expected: { refusal: 'contract-required', isParty: false },
  },
  {
    name: 'the calling agent is retired',
    who: 'the retired partner',
    between: [ours()],
    expected: { refusal: 'agent-retired' },
  },
  {
    name: 'the hosted agent is retired',
    who: 'the partner, hosted agent retired',
    between: [ours()],
    expected: { refusal: 'agent-retired' },
  },
];

const UNREADABLE: readonly AuthorizationCase[] = [
  {
    name: 'a stream between the two cannot be read',
    between: [ours()],
    isUnreliable: true,
    expected: { refusal: 'contract-unreadable' },
  },
  {
    name: 'the texts of the only contract are erased',
    between: [ours({ isErased: true })],
    expected: { refusal: 'contract-unreadable', by: 'ours' },
  },
  {
    name: 'the texts of another contract in force are erased: it may prohibit',
    between: [ours(), other({ isErased: true })],
    names: { contract: 'ours' },
    expected: { refusal: 'contract-unreadable', by: 'other' },
  },
  {
    name: 'erased texts of a contract that has expired are no matter',
    between: [ours(), other({ isErased: true, expiresAt: at('2030-01-15T00:00:00Z') })],
    expected: GRANTED,
  },
  {
    name: 'erased texts of a contract that has ended are no matter',
    between: [ours(), other({ isErased: true, became: 'completed' })],
    expected: GRANTED,
  },
  {
    name: 'texts of two are erased, one of which has expired',
    between: [
      ours(),
      other({ isErased: true }),
      other({ name: 'third', isErased: true, expiresAt: IN_TIME }),
    ],
    expected: { refusal: 'contract-unreadable', by: 'other' },
  },
  {
    name: 'an unreadable stream comes before a wrong name',
    between: [ours()],
    isUnreliable: true,
    names: { contract: 'invented' },
    expected: { refusal: 'contract-unreadable' },
  },
];

const NAMED: readonly AuthorizationCase[] = [
  { name: 'names it', between: [ours()], names: { contract: 'ours' }, expected: GRANTED },
  {
    name: 'names it and its terms',
    between: [ours()],
    names: { contract: 'ours', revision: 1 },
    expected: GRANTED,
  },
  {
    name: 'names what is none',
    between: [ours()],
    names: { contract: 'invented' },
    expected: { refusal: 'contract-not-found' },
  },
  {
    name: 'names one that was never accepted',
    between: [ours({ became: 'pending' })],
    names: { contract: 'ours' },
    expected: { refusal: 'contract-not-in-force' },
  },
  {
    name: 'names one that was rejected',
    between: [ours({ became: 'rejected' })],
    names: { contract: 'ours' },
    expected: { refusal: 'contract-not-in-force' },
  },
  {
    name: 'names one that was withdrawn',
    between: [ours({ became: 'withdrawn' })],
    names: { contract: 'ours' },
    expected: { refusal: 'contract-not-in-force' },
  },
  {
    name: 'names one that expired before anybody accepted',
    between: [ours({ became: 'expired while pending' })],
    names: { contract: 'ours' },
    expected: { refusal: 'contract-not-in-force' },
  },
  {
    name: 'names one that has expired',
    between: [ours({ became: 'expired' })],
    names: { contract: 'ours' },
    expected: { refusal: 'contract-expired' },
  },
  {
    name: 'names one whose expiry is not recorded yet',
    between: [ours()],
    names: { contract: 'ours' },
    now: EXPIRY,
    expected: { refusal: 'contract-expired' },
  },
  {
    name: 'names one that was cancelled',
    between: [ours({ became: 'cancelled' }), other()],
    names: { contract: 'ours' },
    expected: { refusal: 'contract-ended' },
  },
  {
    name: 'names one that was completed',
    between: [ours({ became: 'completed' })],
    names: { contract: 'ours' },
    expected: { refusal: 'contract-ended' },
  },
  {
    name: 'an end that came before the expiry stays the reason after it',
    between: [ours({ became: 'cancelled' })],
    names: { contract: 'ours' },
    now: at('2031-01-01T00:00:00Z'),
    expected: { refusal: 'contract-ended' },
  },
  {
    name: 'names terms that were superseded',
    between: [ours({ amended: { ...ALLOWING, purpose: 'Another' } })],
    names: { contract: 'ours', revision: 1 },
    expected: { refusal: 'terms-superseded', by: 'ours', revision: 2 },
  },
  {
    name: 'names terms that are only proposed',
    between: [ours({ proposed: { ...ALLOWING, purpose: 'Another' } })],
    names: { contract: 'ours', revision: 2 },
    expected: { refusal: 'terms-superseded', by: 'ours' },
  },
  {
    name: 'names the amendment that is in force',
    between: [ours({ amended: { ...ALLOWING, purpose: 'Another' } })],
    names: { contract: 'ours', revision: 2 },
    expected: { ...GRANTED, revision: 2 },
  },
  {
    name: 'names one of two that allow it',
    between: [ours(), other()],
    names: { contract: 'other' },
    expected: { grant: 'allowed-action', by: 'other' },
  },
  {
    name: 'names one that does not allow it, while another does',
    between: [ours(), other({ terms: { allowedActions: ['pay'] } })],
    names: { contract: 'other' },
    expected: { refusal: 'action-not-allowed', by: 'other', entry: 'reconcile' },
  },
  {
    name: 'names one past its deadline, while another allows it',
    between: [ours(), other({ terms: { deadline: at('2030-01-10T00:00:00Z') } })],
    names: { contract: 'other' },
    expected: { refusal: 'deadline-passed', by: 'other', entry: '2030-01-10T00:00:00Z' },
  },
];

const PROHIBITED: readonly AuthorizationCase[] = [
  {
    name: 'a prohibition beats the same contract’s permission',
    between: [ours({ terms: { prohibitedActions: ['reconcile'] } })],
    expected: { refusal: 'action-prohibited', by: 'ours', entry: 'reconcile' },
  },
  {
    name: 'a prohibition of another contract wins, whichever is named',
    between: [ours(), other({ terms: { prohibitedActions: ['reconcile'] } })],
    names: { contract: 'ours' },
    expected: { refusal: 'action-prohibited', by: 'other', entry: 'reconcile' },
  },
  {
    name: 'a prohibition of another contract wins, if none is named',
    between: [ours(), other({ terms: { allowedActions: [], prohibitedData: ['invoices'] } })],
    expected: { refusal: 'data-prohibited', by: 'other', entry: 'invoices' },
  },
  {
    name: 'a prohibition of any of the data counts',
    capability: { data: ['orders', 'invoices'] },
    between: [ours({ terms: { allowedData: ['orders'], prohibitedData: ['invoices'] } })],
    expected: { refusal: 'data-prohibited', by: 'ours', entry: 'invoices' },
  },
  {
    name: 'a prohibition of a contract with swapped roles wins as well',
    between: [ours(), theirs({ name: 'other', terms: { prohibitedActions: ['reconcile'] } })],
    expected: { refusal: 'action-prohibited', by: 'other', entry: 'reconcile' },
  },
  {
    name: 'a prohibition of a contract with a third party wins as well',
    between: [
      ours(),
      ours({
        name: 'three',
        initiator: BROKER,
        responder: HOSTED,
        others: [PARTNER],
        terms: { prohibitedActions: ['reconcile'] },
      }),
    ],
    expected: { refusal: 'action-prohibited', by: 'three', entry: 'reconcile' },
  },
  {
    name: 'the prohibition of a contract between others is no matter',
    between: [
      ours(),
      ours({ name: 'brokered', initiator: BROKER, terms: { prohibitedActions: ['reconcile'] } }),
    ],
    expected: GRANTED,
  },
  {
    name: 'the prohibition of an expired contract is no matter',
    between: [
      ours(),
      other({
        terms: { prohibitedActions: ['reconcile'] },
        expiresAt: at('2030-01-31T23:59:59.9Z'),
      }),
    ],
    expected: GRANTED,
  },
  {
    name: 'the prohibition of a contract past its deadline still stands',
    between: [
      ours(),
      other({ terms: { prohibitedActions: ['reconcile'], deadline: at('2030-01-10T00:00:00Z') } }),
    ],
    expected: { refusal: 'action-prohibited', by: 'other', entry: 'reconcile' },
  },
  {
    name: 'a prohibition that was amended away',
    between: [ours({ terms: { prohibitedActions: ['reconcile'] }, amended: ALLOWING })],
    expected: { ...GRANTED, revision: 2 },
  },
  {
    name: 'a prohibition that is only proposed',
    between: [ours({ proposed: { ...ALLOWING, prohibitedActions: ['reconcile'] } })],
    expected: GRANTED,
  },
  {
    name: 'a known identifier that is another action prohibits that one alone',
    between: [ours({ terms: { prohibitedActions: ['pay'], prohibitedData: ['payroll'] } })],
    expected: GRANTED,
  },
  {
    name: 'an entry in the wrong list prohibits all the same: an action among the data',
    between: [ours({ terms: { prohibitedData: ['reconcile'] } })],
    expected: { refusal: 'action-prohibited', by: 'ours', entry: 'reconcile' },
  },
  {
    name: 'an entry in the wrong list prohibits all the same: data among the actions',
    between: [ours({ terms: { prohibitedActions: ['invoices'] } })],
    expected: { refusal: 'data-prohibited', by: 'ours', entry: 'invoices' },
  },
  {
    name: 'prose prohibits every call: an action',
    between: [ours({ terms: { prohibitedActions: ['pay', 'moving money without asking'] } })],
    expected: { refusal: 'prohibition-unclear', by: 'ours', entry: 'moving money without asking' },
  },
  {
    name: 'prose prohibits every call: data of another contract',
    between: [ours(), other({ terms: { prohibitedData: ['personal details'] } })],
    names: { contract: 'ours' },
    expected: { refusal: 'prohibition-unclear', by: 'other', entry: 'personal details' },
  },
  {
    name: 'another spelling of a known identifier is prose',
    between: [ours({ terms: { prohibitedActions: ['Pay'] } })],
    expected: { refusal: 'prohibition-unclear', by: 'ours', entry: 'Pay' },
  },
  {
    name: 'prose that became an identifier only after the proposal still is prose',
    between: [ours({ terms: { prohibitedActions: ['selling'] } })],
    learned: [{ value: 'selling', since: AFTERWARDS, agentId: HOSTED }],
    expected: { refusal: 'prohibition-unclear', by: 'ours', entry: 'selling' },
  },
  {
    name: 'an identifier since the very moment of the proposal is one',
    between: [ours({ terms: { prohibitedActions: ['selling'] } })],
    learned: [{ value: 'selling', since: BEGINNING, agentId: HOSTED }],
    expected: GRANTED,
  },
  {
    name: 'an identifier of another tenant’s agent alone is prose',
    between: [ours({ terms: { prohibitedActions: ['selling'] } })],
    learned: [{ value: 'selling', since: BEGINNING, agentId: BROKER }],
    expected: { refusal: 'prohibition-unclear', by: 'ours', entry: 'selling' },
  },
  {
    name: 'what names the action is said before what is prose',
    between: [ours({ terms: { prohibitedActions: ['prose', 'reconcile'] } })],
    expected: { refusal: 'action-prohibited', by: 'ours', entry: 'reconcile' },
  },
  {
    name: 'a prohibition comes before a missing permission',
    between: [ours({ terms: { allowedActions: [], prohibitedActions: ['reconcile'] } })],
    expected: { refusal: 'action-prohibited', by: 'ours', entry: 'reconcile' },
  },
];

const ROLE: readonly AuthorizationCase[] = [
  {
    name: 'the responder of a contract does not call its initiator',
    between: [theirs()],
    expected: { refusal: 'caller-not-initiator', by: 'ours' },
  },
  {
    name: 'the responder calls, where any party may',
    capability: { callers: 'any-party' },
    between: [theirs()],
    expected: GRANTED,
  },
  {
    name: 'a third party does not call where the initiator may',
    between: [ours({ initiator: BROKER, others: [PARTNER] })],
    expected: { refusal: 'caller-not-initiator', by: 'ours' },
  },
  {
    name: 'a third party calls, where any party may',
    capability: { callers: 'any-party' },
    between: [ours({ initiator: BROKER, others: [PARTNER] })],
    expected: GRANTED,
  },
  {
    name: 'the initiator calls a third party',
    between: [ours({ responder: BROKER, others: [HOSTED] })],
    expected: GRANTED,
  },
  {
    name: 'a contract with swapped roles beside the right one is no second candidate',
    between: [ours(), theirs({ name: 'other' })],
    expected: GRANTED,
  },
];

const TERMS: readonly AuthorizationCase[] = [
  { name: 'the only contract allows it', between: [ours()], expected: GRANTED },
  { name: 'no contract', expected: { refusal: 'contract-required', isParty: false } },
  {
    name: 'none is in force any more',
    between: [ours({ became: 'completed' })],
    expected: { refusal: 'contract-required' },
  },
  {
    name: 'one that is only proposed',
    between: [ours({ became: 'pending' })],
    expected: { refusal: 'contract-required', isParty: false },
  },
  {
    name: 'the last moment before the expiry',
    between: [ours()],
    now: at('2030-02-28T23:59:59.999Z'),
    expected: GRANTED,
  },
  {
    name: 'at the expiry, recorded or not',
    between: [ours()],
    now: EXPIRY,
    expected: { refusal: 'contract-required' },
  },
  {
    name: 'an expiry spelled without milliseconds is the same moment',
    between: [ours({ expiresAt: at('2030-03-01T00:00:00Z') })],
    now: at('2030-03-01T00:00:00.000Z'),
    expected: { refusal: 'contract-required' },
  },
  {
    name: 'an expiry a nanosecond ahead has not come',
    between: [ours({ expiresAt: at('2030-03-01T00:00:00.000000001Z') })],
    now: at('2030-03-01T00:00:00.000Z'),
    expected: GRANTED,
  },
  {
    name: 'an action that is not allowed',
    between: [ours({ terms: { allowedActions: ['pay'] } })],
    expected: { refusal: 'action-not-allowed', by: 'ours', entry: 'reconcile' },
  },
  {
    name: 'a capability without an action is allowed by nothing',
    capability: { action: null },
    between: [ours()],
    expected: { refusal: 'action-not-allowed', by: 'ours' },
  },
  {
    name: 'data that is not allowed',
    between: [ours({ terms: { allowedData: ['orders'] } })],
    expected: { refusal: 'data-not-allowed', by: 'ours', entry: 'invoices' },
  },
  {
    name: 'only some of the data is allowed',
    capability: { data: ['orders', 'invoices'] },
    between: [ours({ terms: { allowedData: ['orders'] } })],
    expected: { refusal: 'data-not-allowed', by: 'ours', entry: 'invoices' },
  },
  {
    name: 'no data, none allowed',
    capability: { data: [] },
    between: [ours({ terms: { allowedData: [] } })],
    expected: GRANTED,
  },
  {
    name: 'before the deadline',
    between: [ours({ terms: { deadline: at('2030-02-01T00:00:00.001Z') } })],
    expected: GRANTED,
  },
  {
    name: 'at the deadline',
    between: [ours({ terms: { deadline: at('2030-02-01T00:00:00Z') } })],
    expected: { refusal: 'deadline-passed', by: 'ours', entry: '2030-02-01T00:00:00Z' },
  },
  {
    name: 'permission that is only proposed',
    between: [ours({ terms: { allowedActions: [] }, proposed: ALLOWING })],
    expected: { refusal: 'action-not-allowed', by: 'ours', entry: 'reconcile' },
  },
  {
    name: 'terms in force while an amendment that takes the permission is only proposed',
    between: [ours({ proposed: { allowedActions: [] } })],
    expected: GRANTED,
  },
  {
    name: 'permission that was amended away',
    between: [ours({ amended: { allowedActions: ['pay'] } })],
    expected: { refusal: 'action-not-allowed', by: 'ours', revision: 2, entry: 'reconcile' },
  },
];

/** What runs them is another agent, of this name. */
const DELEGATED: CapabilityChanges = { directInvoke: invokedOn({ type: 'a2a', name: 'ledger' }) };

const DELEGATIONS: readonly AuthorizationCase[] = [
  {
    name: 'another agent that no rule names',
    capability: DELEGATED,
    between: [ours()],
    expected: { refusal: 'delegation-not-allowed', by: 'ours', entry: 'ledger' },
  },
  {
    name: 'another agent that a rule names',
    capability: DELEGATED,
    between: [ours({ terms: { delegationRules: ['archive', 'ledger'] } })],
    expected: GRANTED,
  },
  {
    name: 'a rule in words names nobody',
    capability: DELEGATED,
    between: [ours({ terms: { delegationRules: ['Anything may go to ledger', 'Ledger', '*'] } })],
    expected: { refusal: 'delegation-not-allowed', by: 'ours', entry: 'ledger' },
  },
  {
    name: 'another agent without a name is named by no rule',
    capability: { directInvoke: invokedOn({ type: 'a2a' }) },
    between: [ours({ terms: { delegationRules: ['', 'null', 'undefined'] } })],
    expected: { refusal: 'delegation-not-allowed', by: 'ours' },
  },
  {
    name: 'a backend that is no agent needs no rule',
    capability: { directInvoke: invokedOn({ type: 'http', name: 'ledger' }) },
    between: [ours()],
    expected: GRANTED,
  },
  {
    name: 'the rule of another contract in force allows nothing under the named one',
    capability: DELEGATED,
    between: [ours(), other({ terms: { delegationRules: ['ledger'] } })],
    names: { contract: 'ours' },
    expected: { refusal: 'delegation-not-allowed', by: 'ours', entry: 'ledger' },
  },
  {
    name: 'two allow it, but only one by a rule for the other agent',
    capability: DELEGATED,
    between: [ours({ terms: { delegationRules: ['ledger'] } }), other()],
    expected: GRANTED,
  },
  {
    name: 'a rule that was amended away',
    capability: DELEGATED,
    between: [
      ours({
        terms: { delegationRules: ['ledger'] },
        amended: { ...ALLOWING, delegationRules: [] },
      }),
    ],
    expected: { refusal: 'delegation-not-allowed', by: 'ours', revision: 2, entry: 'ledger' },
  },
  {
    name: 'none allows it: lacking the delegation is closer than lacking the data',
    capability: DELEGATED,
    between: [ours(), other({ terms: { allowedData: [] }, expiresAt: at('2031-01-01T00:00:00Z') })],
    expected: { refusal: 'delegation-not-allowed', by: 'ours', entry: 'ledger' },
  },
  {
    name: 'a capability that asks for no contract is passed on without a rule',
    capability: { ...FREE, ...DELEGATED },
    between: [ours()],
    names: { contract: 'ours' },
    expected: { grant: 'entitlement' },
  },
];

const SEVERAL: readonly AuthorizationCase[] = [
  {
    name: 'two allow it',
    between: [ours(), other()],
    expected: { refusal: 'contract-ambiguous', among: ['ours', 'other'] },
  },
  {
    name: 'two allow it, but one has expired',
    between: [ours(), other({ expiresAt: IN_TIME })],
    expected: GRANTED,
  },
  {
    name: 'two allow it, but one is past its deadline',
    between: [ours(), other({ terms: { deadline: at('2030-01-10T00:00:00Z') } })],
    expected: GRANTED,
  },
  {
    name: 'three allow it, but two are past their deadlines',
    between: [
      other({ terms: { deadline: at('2030-01-10T00:00:00Z') } }),
      other({ name: 'third', terms: { deadline: at('2030-01-11T00:00:00Z') } }),
      ours({ terms: { deadline: at('2030-02-11T00:00:00Z') } }),
    ],
    expected: GRANTED,
  },
  {
    name: 'two allow it, but one has expired before its deadline',
    between: [
      ours(),
      other({ terms: { deadline: at('2030-06-01T00:00:00Z') }, expiresAt: IN_TIME }),
    ],
    expected: GRANTED,
  },
  {
    name: 'two allow the action, but only one the data',
    between: [ours(), other({ terms: { allowedData: [] } })],
    expected: GRANTED,
  },
  {
    name: 'none allows it: lacking data is closer than lacking the action',
    between: [
      ours({ terms: { allowedData: [] } }),
      other({ terms: { allowedActions: [] }, expiresAt: at('2031-01-01T00:00:00Z') }),
    ],
    expected: { refusal: 'data-not-allowed', by: 'ours', entry: 'invoices' },
  },
  {
    name: 'none allows it: lacking the action is closer than another role',
    between: [ours({ terms: { allowedActions: [] } }), theirs({ name: 'other' })],
    expected: { refusal: 'action-not-allowed', by: 'ours', entry: 'reconcile' },
  },
  {
    name: 'none allows it: a passed deadline is closest',
    between: [
      ours({ terms: { deadline: at('2030-01-10T00:00:00Z') } }),
      other({ terms: { allowedData: [] } }),
    ],
    expected: { refusal: 'deadline-passed', by: 'ours', entry: '2030-01-10T00:00:00Z' },
  },
  {
    name: 'of two alike, the one that is in force for longer is told',
    between: [
      ours({ terms: { allowedData: [] } }),
      other({ terms: { allowedData: [] }, expiresAt: at('2030-02-02T00:00:00Z') }),
    ],
    expected: { refusal: 'data-not-allowed', by: 'ours', entry: 'invoices' },
  },
  {
    name: 'what an expired one lacks is not told',
    between: [
      ours({ terms: { allowedActions: [] } }),
      other({ terms: { allowedData: [] }, expiresAt: IN_TIME }),
    ],
    expected: { refusal: 'action-not-allowed', by: 'ours', entry: 'reconcile' },
  },
];

const APPROVALS: readonly AuthorizationCase[] = [
  {
    name: 'an approval of the action',
    between: [ours({ terms: { humanApprovalRequirements: ['reconcile'] } })],
    expected: { ...GRANTED, approvals: ['reconcile'] },
  },
  {
    name: 'an approval of the data',
    between: [ours({ terms: { humanApprovalRequirements: ['payroll', 'invoices'] } })],
    expected: { ...GRANTED, approvals: ['invoices'] },
  },
  {
    name: 'an approval of something else',
    between: [ours({ terms: { humanApprovalRequirements: ['pay', 'payroll'] } })],
    expected: { ...GRANTED, approvals: [] },
  },
  {
    name: 'an approval in words that others, or later manifests, made identifiers is still asked',
    between: [ours({ terms: { humanApprovalRequirements: ['selling', 'buying'] } })],
    learned: [
      { value: 'selling', since: BEGINNING, agentId: BROKER },
      { value: 'buying', since: AFTERWARDS, agentId: HOSTED },
    ],
    expected: { ...GRANTED, approvals: ['selling', 'buying'] },
  },
  {
    name: 'an approval in prose is asked for every call, all in their order',
    between: [
      ours({ terms: { humanApprovalRequirements: ['anything above 100 €', 'pay', 'reconcile'] } }),
    ],
    expected: { ...GRANTED, approvals: ['anything above 100 €', 'reconcile'] },
  },
  {
    name: 'approvals that another contract asks for are no matter',
    between: [
      ours(),
      other({ terms: { allowedActions: [], humanApprovalRequirements: ['reconcile'] } }),
    ],
    expected: { ...GRANTED, approvals: [] },
  },
  {
    name: 'an approval does not lift a prohibition',
    between: [
      ours({
        terms: { humanApprovalRequirements: ['reconcile'], prohibitedActions: ['reconcile'] },
      }),
    ],
    expected: { refusal: 'action-prohibited', by: 'ours', entry: 'reconcile' },
  },
];

export const AUTHORIZATION_MATRIX: Readonly<Record<string, readonly AuthorizationCase[]>> = {
  entitlement: ENTITLEMENT,
  'no contract asked for': WITHOUT_CONTRACT,
  'who calls': WHO,
  'what cannot be read': UNREADABLE,
  'a named contract': NAMED,
  prohibitions: PROHIBITED,
  role: ROLE,
  terms: TERMS,
  delegation: DELEGATIONS,
  'several contracts': SEVERAL,
  approvals: APPROVALS,
};
