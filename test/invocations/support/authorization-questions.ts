import type { KnownIdentifiers } from '../../../src/capabilities/domain/known-identifiers.js';
import { ProjectedVocabulary } from '../../../src/capabilities/vocabulary/projected-vocabulary.js';
import { hostedAgent } from '../../capabilities/support/capability-node.js';
import type { Agent } from '../../../src/agents/domain/agent.js';
import type { Capability } from '../../../src/capabilities/domain/capability.js';
import type { Authorization } from '../../../src/invocations/domain/authorization.js';
import {
  authorize,
  type AgentPair,
  type AuthorizationRequest,
} from '../../../src/invocations/domain/authorize.js';
import type { Interaction } from '../../../src/interactions/domain/interaction.js';
import type { ContractsOfPair } from '../../../src/interactions/queries/contracts-between.js';
import type { Caller } from '../../../src/kernel/caller.js';
import type { AgentId } from '../../../src/kernel/ids.js';
import type { Timestamp } from '../../../src/kernel/timestamp.js';
import { capability, type CapabilityChanges } from '../../capabilities/support/capabilities.js';
import { party, retired, type Party } from '../../support/interaction-fixtures.js';
import {
  BROKER,
  HOSTED,
  PARTNER,
  VOCABULARY,
  type AuthorizationCase,
  type Who,
} from '../domain/authorization-matrix.js';
import { agreed, contractsOf, IN_TIME, interactionIdOf, revisionOf } from './agreements.js';

/** All that `authorize` is asked. */
export interface Question {
  readonly capability: Capability | undefined;
  readonly caller: Caller | null;
  readonly pair: AgentPair;
  readonly request: AuthorizationRequest;
  readonly now: Timestamp;
}

const partner = party(PARTNER, undefined);
const hosted = party(HOSTED, undefined);
const broker = party(BROKER, undefined);

/** It asks for a contract that allows to reconcile invoices, but for the changes. */
export function reconciling(changes: CapabilityChanges = {}): Capability {
  const asked = { requiresContract: true, action: 'reconcile', data: ['invoices'] };
  return capability('reconcile-invoice', { ...asked, ...changes });
}

interface Asking {
  readonly caller: Caller | null;
  readonly calling: Agent | undefined;
  readonly hosted?: Agent;
}

function withScopes({ token, agent }: Party, changes: Partial<Caller> = {}): Asking {
  const caller = { ...token, allScopes: new Set(['recon.run']), ...changes };
  return { caller, calling: agent };
}

const ASKING: Readonly<Record<Who, Asking>> = {
  'the partner': withScopes(partner),
  'the partner, its client alone': withScopes(partner, partner.boundToken),
  'the partner without scopes': withScopes(partner, { allScopes: new Set() }),
  nobody: { caller: null, calling: undefined },
  'a token for no agent': withScopes(partner, partner.ownerToken),
  'a token of another tenant': withScopes(partner, { tenant: 'another' }),
  'a token for an agent that is not registered': { ...withScopes(partner), calling: undefined },
  'the broker': withScopes(broker),
  'the hosted agent': withScopes(hosted),
  'the retired partner': withScopes(retired(partner)),
  'the partner, hosted agent retired': { ...withScopes(partner), hosted: retired(hosted).agent },
};

function agentOf(who: Who = 'the partner'): AgentId | undefined {
  return ASKING[who].caller?.agent ?? undefined;
}

/** The active ones of all, as they are found; that there were any is told of the pair alone. */
export function foundBetween(
  interactions: readonly Interaction[],
  who: Who = 'the partner',
): ContractsOfPair {
  const agent = agentOf(who);
  const isBetween = ({ parties }: Interaction): boolean =>
    agent !== undefined && agent !== HOSTED && [agent, HOSTED].every((id) => parties.includes(id));
  const { hadAny } = contractsOf(interactions.filter(isBetween));
  return { ...contractsOf(interactions), hadAny };
}

/** What a row of the matrix asks. */
export function questionOf(row: AuthorizationCase): Question {
  const { who = 'the partner', between = [], names, now = IN_TIME } = row;
  const interactions = new Map(between.map((each) => [each.name, agreed(each)]));
  const asking = ASKING[who];
  const named = names && interactions.get(names.contract);
  const hash = names?.revision === undefined ? null : revisionOf(named!, names.revision).termsHash;
  return {
    capability: row.capability === null ? undefined : reconciling(row.capability),
    caller: asking.caller,
    pair: {
      calling: asking.calling,
      hosted: asking.hosted ?? hosted.agent,
      contracts: {
        ...foundBetween([...interactions.values()], who),
        isReliable: row.isUnreliable !== true,
      },
      named,
      vocabulary: vocabularyOf(row),
    },
    request: {
      named: names ? { interactionId: interactionIdOf(names.contract), termsHash: hash } : null,
    },
    now,
  };
}

/** As the node finds it in its view. */
function vocabularyOf({ learned = [] }: AuthorizationCase): KnownIdentifiers {
  const view = { get: () => ({ epoch: 'only', change: 1 }), all: () => learned };
  const readModel = { unreliableStreams: () => new Set<string>(), prepare: () => view as never };
  const hostedAgents = [
    hostedAgent(HOSTED, { tenant: hosted.agent.tenant }),
    hostedAgent(BROKER, { tenant: 'rival' }),
  ];
  const config = { a2a: { vocabulary: VOCABULARY } };
  return new ProjectedVocabulary(readModel, config, hostedAgents).of(HOSTED);
}

export function ask({ capability, caller, pair, request, now }: Question): Authorization {
  return authorize(capability, caller, pair, request, now);
}
