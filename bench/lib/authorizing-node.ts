import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { AgentExecution } from '../../src/agents/agent-execution.js';
import { AGENT_EVENT_TYPES } from '../../src/agents/event-types.js';
import { AgentAtHandler } from '../../src/agents/queries/agent-at-handler.js';
import { AgentHeads } from '../../src/agents/queries/agent-heads.js';
import { AgentHeadsHandler } from '../../src/agents/queries/agent-heads-handler.js';
import { CapabilityExecution } from '../../src/capabilities/capability-execution.js';
import type { Capability } from '../../src/capabilities/domain/capability.js';
import { CAPABILITY_EVENT_TYPES } from '../../src/capabilities/event-types.js';
import { ProjectedRegistry } from '../../src/capabilities/projected-registry.js';
import { CapabilityAtHandler } from '../../src/capabilities/queries/capability-at-handler.js';
import { capabilityDirectory } from '../../src/capabilities/projection.js';
import { ProjectedVocabulary } from '../../src/capabilities/vocabulary/projected-vocabulary.js';
import { capabilityVocabulary } from '../../src/capabilities/vocabulary/projection.js';
import type { EventStore } from '../../src/event-store/port.js';
import { openSqliteEventStore } from '../../src/event-store/sqlite/sqlite-event-store.js';
import { LoggedContracts } from '../../src/interactions/contracts/logged-contracts.js';
import { contractsByPair } from '../../src/interactions/contracts/projection.js';
import { INTERACTION_EVENT_TYPES } from '../../src/interactions/event-types.js';
import { InteractionExecution } from '../../src/interactions/interaction-execution.js';
import { AuthorizationFacts } from '../../src/invocations/authorization-facts.js';
import type { AgentPair } from '../../src/invocations/domain/authorize.js';
import { LogAuthorizer } from '../../src/invocations/log-authorizer.js';
import type {
  AuthorizationQuestion,
  Authorizer,
} from '../../src/invocations/queries/authorizer.js';
import { ProjectionRunner } from '../../src/projections/projection-runner.js';
import { SqliteReadDatabase } from '../../src/projections/sqlite/sqlite-read-database.js';
import { CONTRACTS_AT_MS, ContractLog, PROHIBITED } from './contract-log.js';
import { oneKeyStore } from './one-key-store.js';

const KEYS = oneKeyStore(randomBytes(32));
const now = (): number => CONTRACTS_AT_MS + 60_000;

/** As much of a node as a decision takes, over a log of its own, in a folder that exists. */
export class AuthorizingNode {
  private constructor(
    readonly store: EventStore,
    readonly log: ContractLog,
    readonly runner: ProjectionRunner,
    private readonly database: SqliteReadDatabase,
  ) {}

  static async open(folder: string): Promise<AuthorizingNode> {
    const store = await openSqliteEventStore(join(folder, 'events.db'));
    const database = new SqliteReadDatabase(join(folder, 'views.db'));
    const runner = new ProjectionRunner({
      store,
      keys: KEYS,
      types: { ...AGENT_EVENT_TYPES, ...INTERACTION_EVENT_TYPES, ...CAPABILITY_EVENT_TYPES },
      database,
      projections: [contractsByPair, capabilityDirectory, capabilityVocabulary],
      clock: now,
      report: (line, about) => {
        console.error(line, about);
      },
    });
    return new AuthorizingNode(store, new ContractLog(store, KEYS), runner, database);
  }

  async caughtUp(): Promise<void> {
    this.runner.start();
    const reached = await this.runner.waitFor(await this.store.head(), 600_000);
    if (!reached) throw new Error('the views never caught up');
  }

  /** With caches that hold nothing yet. */
  deciding(): { readonly authorizer: Authorizer; readonly contracts: LoggedContracts } {
    const { store, runner } = this;
    const capabilities = new CapabilityExecution(store, KEYS, now, randomBytes);
    const interactions = new InteractionExecution(store, KEYS, now, randomBytes);
    const agents = new AgentExecution(store, KEYS, now, randomBytes);
    const contracts = new LoggedContracts(interactions, store, runner, { readWaitMs: 10_000 });
    const facts = new AuthorizationFacts(
      new ProjectedRegistry(runner, store, capabilities),
      new CapabilityAtHandler(capabilities),
      new AgentHeadsHandler(agents),
      new AgentAtHandler(agents),
      contracts,
      vocabularyOf(runner),
      [],
      now,
    );
    return { authorizer: new LogAuthorizer(facts), contracts };
  }

  /** What the decision on a call is made from. */
  async pairOf(
    { agentId, skillId, caller, named }: AuthorizationQuestion,
    contracts: LoggedContracts,
  ): Promise<{ readonly capability: Capability | undefined; readonly between: AgentPair }> {
    const { store, runner } = this;
    const calling = caller?.agent;
    if (calling === undefined || calling === null || named === null)
      throw new Error('an agent asks, and names a contract');
    const capabilities = new CapabilityExecution(store, KEYS, now, randomBytes);
    const agents = new AgentHeadsHandler(new AgentExecution(store, KEYS, now, randomBytes));
    const heads = await agents.execute(new AgentHeads([calling, agentId]));
    const read = await contracts.named(calling, agentId, named.interactionId);
    return {
      capability: await capabilities.head(agentId, skillId),
      between: {
        calling: heads.get(calling),
        hosted: heads.get(agentId),
        contracts: await contracts.now(calling, agentId),
        named: read?.interaction,
        vocabulary: vocabularyOf(runner).of(agentId),
      },
    };
  }

  async close(): Promise<void> {
    await this.runner.stop();
    this.database.close();
    await this.store.close();
  }
}

function vocabularyOf(runner: ProjectionRunner): ProjectedVocabulary {
  return new ProjectedVocabulary(runner, { a2a: { vocabulary: PROHIBITED } }, []);
}
