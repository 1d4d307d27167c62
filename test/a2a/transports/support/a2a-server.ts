import { Controller, Get, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { RequestNegotiation } from '../../../../src/a2a/negotiation/request-negotiation.js';
import { registerA2aRoutes } from '../../../../src/a2a/transports/a2a-routes.js';
import { declaredExtensions } from '../../../../src/capabilities/domain/card-extensions.js';
import type { A2aConfig, HostedAgent } from '../../../../src/config/hosted-agents.js';
import { Public } from '../../../../src/http/access.js';
import { tokenInvalid, tokenMissing } from '../../../../src/http/authentication/bearer.js';
import { createEdge } from '../../../../src/http/edge.js';
import type { EventStreamTiming } from '../../../../src/http/event-stream.js';
import type { Route } from '../../../../src/http/method-table.js';
import type { StreamLimits } from '../../../../src/http/open-streams.js';
import { ProblemFilter } from '../../../../src/http/problem-filter.js';
import type { Caller } from '../../../../src/kernel/caller.js';
import type { AgentId } from '../../../../src/kernel/ids.js';
import { ok } from '../../../../src/kernel/result.js';
import { MemoryMessages } from './memory-messages.js';
import { memoryPushConfigs } from './memory-push-configs.js';
import { MemoryTasks } from './memory-tasks.js';

export const AGENT = 'finance-agent' as AgentId;
/** An extension that the cards of these agents declare. */
export const EXTENSION = 'https://countersign.example/extensions/test/v1';

/** Stands for the cards, whose addresses lie among those of the bindings. */
@Controller('a2a/:agent/.well-known/agent-card.json')
class CardController {
  @Get()
  @Public()
  card(): object {
    return { name: 'public' };
  }
}

@Module({ controllers: [CardController] })
class CardModule {}

export interface A2aServerOptions {
  readonly anonymous?: A2aConfig['anonymous'];
  readonly requiredExtensions?: readonly string[];
  readonly timing?: EventStreamTiming;
  readonly streams?: StreamLimits;
}

export interface A2aTestServer {
  /** Of the node. */
  readonly url: string;
  /** Of the agent. */
  readonly agentUrl: string;
  readonly tasks: MemoryTasks;
  readonly messages: MemoryMessages;
  readonly routes: readonly Route[];
  drain(): void;
  close(): Promise<void>;
}

/**
 * The real edge and both bindings over agents in memory. Tokens are names: `Bearer alice`, `Bearer bob_at_other`
 * of another tenant than `acme`; `bad` is none.
 */
export async function startA2aServer(options: A2aServerOptions = {}): Promise<A2aTestServer> {
  const { anonymous = 'secret', requiredExtensions = [] } = options;
  let isDraining = false;
  const edge = createEdge({
    publicBaseUrl: 'https://countersign.example',
    authenticate,
    reaches: () => Promise.resolve('reached'),
    isDraining: () => isDraining,
  });
  const app = await NestFactory.create<NestFastifyApplication>(CardModule, edge.adapter, {
    logger: false,
    bodyParser: false,
  });
  app.useGlobalFilters(new ProblemFilter(edge.problems));
  const tasks = new MemoryTasks();
  const messages = new MemoryMessages(tasks, anonymous);
  const settings = { trustUri: EXTENSION, directInvokeUri: null, required: requiredExtensions };
  const extensions = declaredExtensions(settings, {});
  await registerA2aRoutes(edge.adapter.getInstance(), {
    config: { agents: [agentOf(AGENT), agentOf('other-agent' as AgentId)], anonymous },
    services: { messages, tasks, pushConfigs: memoryPushConfigs(tasks), cards },
    negotiation: new RequestNegotiation(extensions),
    allowed: edge.allowed,
    answers: edge.answers,
    ...(options.timing === undefined ? {} : { timing: options.timing }),
    ...(options.streams === undefined ? {} : { streams: options.streams }),
  });
  await app.listen(0, '127.0.0.1');
  const url = await app.getUrl();
  return {
    url,
    agentUrl: `${url}/a2a/${AGENT}`,
    tasks,
    messages,
    routes: edge.routes(),
    drain: () => {
      isDraining = true;
    },
    close: () => closeSoon(app),
  };
}

/** Clients such as `fetch` keep connections open on which they have asked for nothing yet. */
async function closeSoon(app: NestFastifyApplication): Promise<void> {
  const impatience = setTimeout(() => {
    app.getHttpServer().closeAllConnections();
  }, 1000);
  await app.close();
  clearTimeout(impatience);
}

/** A card that shows whose it is. */
const cards = {
  for: async (agent: HostedAgent, { principal }: Caller) =>
    Promise.resolve(ok({ card: { name: `${agent.agentId} for ${principal}` } })),
};

function agentOf(agentId: AgentId): HostedAgent {
  return {
    agentId,
    tenant: 'acme',
    name: 'Finance',
    description: 'Finance',
    version: '1.0',
    provider: null,
    documentationUrl: null,
    iconUrl: null,
    extendedCard: 'derived',
    capabilitiesFolder: null,
    handlers: [],
    backends: new Map(),
  };
}

function authenticate(authorization: string | undefined): Caller | Promise<Caller> {
  const [, principal] = /^Bearer (\w+)$/.exec(authorization ?? '') ?? [];
  if (principal === undefined) throw tokenMissing();
  if (principal === 'bad') return Promise.reject(tokenInvalid('The token is bad.'));
  const scopes = new Set<never>();
  const tenant = principal.split('_at_')[1] ?? 'acme';
  return { principal, client: null, agent: null, tenant, scopes, allScopes: scopes };
}
