import type { Agent } from '../../../src/agents/domain/agent.js';
import type { CapabilityRegistry } from '../../../src/capabilities/queries/capability-registry.js';
import type { Interaction } from '../../../src/interactions/domain/interaction.js';
import type { InteractionSnapshot } from '../../../src/interactions/queries/contracts-between.js';
import { judgeCall } from '../../../src/invocations/judge-call.js';
import {
  Authorizer,
  type AuthorizationAnswer,
  type AuthorizationQuestion,
} from '../../../src/invocations/queries/authorizer.js';
import type { AgentId, InteractionId } from '../../../src/kernel/ids.js';
import { timestampOf, type Timestamp } from '../../../src/kernel/timestamp.js';
import { FINANCE } from '../../capabilities/support/capabilities.js';
import { agreed, contractsOf, read, type Agreement } from '../../invocations/support/agreements.js';
import { party } from '../../support/interaction-fixtures.js';

const PARTNER = 'partner-agent' as AgentId;

/** Authorizes by the rules themselves; what they rest on is in memory. */
export class MemoryAuthorizer extends Authorizer {
  readonly agents = new Map<AgentId, Agent>([
    [FINANCE, party(FINANCE, undefined).agent],
    [PARTNER, party(PARTNER, undefined, { tenant: 'partner' }).agent],
  ]);
  /** Known identifiers of contracts. */
  readonly vocabulary = new Set(['reconcile', 'pay', 'invoices']);
  #contracts: readonly Interaction[] = [];
  /** Called before every answer, for what happens in between. */
  beforeAnswer: (look: number) => void = () => undefined;
  #looks = 0;

  constructor(private readonly registry: CapabilityRegistry) {
    super();
  }

  /** What is between the partner and the hosted agent from now on; the partner is the initiator. */
  agree(
    ...agreements: readonly (Partial<Agreement> & Pick<Agreement, 'name'>)[]
  ): readonly Interaction[] {
    this.#contracts = agreements.map((each) =>
      agreed({ initiator: PARTNER, responder: FINANCE, ...each }),
    );
    return this.#contracts;
  }

  async authorize(question: AuthorizationQuestion): Promise<AuthorizationAnswer> {
    this.beforeAnswer(++this.#looks);
    const { agents, vocabulary, registry } = this;
    const contracts = this.#contracts;
    return judgeCall(
      {
        capability: async (agentId, skillId) => (await registry.head(agentId, skillId))?.capability,
        agents: async () => agents,
        contracts: async () => contractsOf(contracts),
        named: async (one, other, id) => this.named(one, other, id),
        vocabulary: () => vocabulary,
        now: (): Timestamp => timestampOf(Date.now()),
      },
      question,
    );
  }

  /** As `ContractsBetween` has it. */
  async named(
    _one: AgentId,
    _other: AgentId,
    id: InteractionId,
  ): Promise<InteractionSnapshot | undefined> {
    const found = this.#contracts.find(({ interactionId }) => interactionId === id);
    return found && read(found);
  }
}
