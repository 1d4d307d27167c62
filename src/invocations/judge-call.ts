import { agentStream } from '../agents/domain/stream.js';
import { capabilityStream } from '../capabilities/domain/stream.js';
import type {
  ContractsOfPair,
  InteractionSnapshot,
} from '../interactions/queries/contracts-between.js';
import type { AgentId, InteractionId } from '../kernel/ids.js';
import { oncePerObject } from '../kernel/once-per-object.js';
import type { Timestamp } from '../kernel/timestamp.js';
import type { Facts } from './authorization-facts.js';
import { authorize, callingAgentOf, type AgentPair } from './domain/authorize.js';
import type { Authorization } from './domain/authorization.js';
import type { AuthorizationAnswer, AuthorizationQuestion } from './queries/authorizer.js';

/** An answer, and what stood between the two agents when it was given. */
export interface Judgement extends AuthorizationAnswer {
  /** Null: it was decided without them. */
  readonly contracts: ContractsOfPair | null;
  readonly moment: Timestamp;
}

/**
 * Reads what a decision needs, and no more, and decides. A capability that asks for no contract costs
 * its own head alone, unless the question names one.
 */
export async function judgeCall(facts: Facts, question: AuthorizationQuestion): Promise<Judgement> {
  const { agentId, skillId, caller } = question;
  const capability = await facts.capability(agentId, skillId);
  const calling = callingAgentOf(capability, caller, question);
  const pair = calling === null ? null : await readPair(facts, question, calling);
  const moment = facts.now();
  const decision = authorize(capability, caller, pair, question, moment);
  const basedOn: Record<string, number> = {};
  if (capability !== undefined) basedOn[capabilityStream(agentId, skillId)] = capability.revision;
  for (const agent of [pair?.calling, pair?.hosted]) {
    if (agent !== undefined) basedOn[agentStream(agent.agentId)] = agent.revision;
  }
  // Whoever only claims to be an agent is told nothing of its contracts, not even that there are any.
  const isImpostor = decision.kind === 'refusal' && decision.code === 'agent-not-acting';
  const between = isImpostor ? null : pair;
  for (const read of between === null ? [] : decisive(decision, question, between)) {
    basedOn[read.stream] = read.streamRevision;
  }
  const contracts = between?.contracts ?? null;
  return { decision, capability: capability ?? null, basedOn, contracts, moment };
}

/** The interactions on which it rests. */
function decisive(
  decision: Authorization,
  { named }: AuthorizationQuestion,
  pair: ReadPair,
): readonly InteractionSnapshot[] {
  const among = decision.kind === 'refusal' ? (decision.among ?? []) : [];
  return [decision.terms, ...among, named]
    .map((each) => (each === null ? undefined : pair.read(each.interactionId)))
    .filter((read) => read !== undefined);
}

interface ReadPair extends AgentPair {
  readonly contracts: ContractsOfPair;
  /** Of the active ones, and the named one. */
  read(id: InteractionId): InteractionSnapshot | undefined;
}

async function readPair(
  facts: Facts,
  { agentId, named }: AuthorizationQuestion,
  calling: AgentId,
): Promise<ReadPair> {
  // Nobody has a contract with themselves.
  const isAlone = calling === agentId;
  const [agents, found] = await Promise.all([
    facts.agents([calling, agentId]),
    isAlone ? NO_CONTRACTS : facts.contracts(calling, agentId),
  ]);
  const hosted = agents.get(agentId);
  // What somebody else agreed to under its id binds nobody.
  const contracts = hosted === undefined ? NO_CONTRACTS : found;
  const active = byId(contracts);
  const id = named?.interactionId;
  const other =
    id === undefined || isAlone || hosted === undefined || active.has(id)
      ? undefined
      : await facts.named(calling, agentId, id);
  const read = (interactionId: InteractionId): InteractionSnapshot | undefined =>
    active.get(interactionId) ?? (interactionId === id ? other : undefined);
  return {
    calling: agents.get(calling),
    hosted,
    contracts,
    named: id === undefined ? undefined : read(id)?.interaction,
    vocabulary: facts.vocabulary(agentId),
    read,
  };
}

const NO_CONTRACTS: ContractsOfPair = { active: [], hadAny: false, isReliable: true };

const byId = oncePerObject(
  ({ active }: ContractsOfPair): ReadonlyMap<InteractionId, InteractionSnapshot> =>
    new Map(active.map((each) => [each.interaction.interactionId, each])),
);
