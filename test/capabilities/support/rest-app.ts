import { randomBytes } from 'node:crypto';
import {
  Global,
  Module,
  type Abstract,
  type DynamicModule,
  type Provider,
  type Type,
} from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { CqrsModule } from '@nestjs/cqrs';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { AgentsModule } from '../../../src/agents/agents.module.js';
import { CapabilitiesModule } from '../../../src/capabilities/capabilities.module.js';
import {
  RegistrationAdvice,
  type Advice,
  type SkillAdvice,
} from '../../../src/capabilities/queries/registration-advice.js';
import {
  CLOCK,
  CONFIG as CONFIG_TOKEN,
  HOSTED_AGENTS,
  RANDOM_BYTES,
} from '../../../src/config/tokens.js';
import { logReaches } from '../../../src/event-store/log-reaches.js';
import { EVENT_STORE, KEY_STORE } from '../../../src/event-store/tokens.js';
import { HANDLERS_OF_AGENTS } from '../../../src/handlers/handlers-of-agents.js';
import { DtoPipe } from '../../../src/http/dto-pipe.js';
import { createEdge } from '../../../src/http/edge.js';
import { HealthRegistry } from '../../../src/http/health/health-registry.js';
import { serveOpenApi } from '../../../src/http/openapi/serve.js';
import { ProblemFilter } from '../../../src/http/problem-filter.js';
import { RejectionException } from '../../../src/http/rejection-exception.js';
import { BACKEND_TOKEN_SIGNING } from '../../../src/invocations/backends/backend-token-signing.js';
import { InvocationLedger } from '../../../src/invocations/commands/invocation-ledger.js';
import type { Caller } from '../../../src/kernel/caller.js';
import type { JsonObject } from '../../../src/kernel/json.js';
import { READ_MODEL } from '../../../src/projections/tokens.js';
import { CapabilityNode, CONFIG, type NodeOptions } from './capability-node.js';

const BASE_URL = 'https://countersign.example';

/** Warns of manifests with fewer than three examples, as whoever routes would. */
class FewExamples extends RegistrationAdvice {
  constructor(private readonly node: CapabilityNode) {
    super();
  }

  async warningsFor(
    ...address: Parameters<RegistrationAdvice['warningsFor']>
  ): Promise<readonly Advice[]> {
    const { capability } = (await this.node.registry.head(...address))!;
    const { examples } = capability.manifest.skill;
    return examples.length < 3 ? [{ code: 'few-examples', detail: 'It has few examples.' }] : [];
  }

  async *survey(): AsyncGenerator<SkillAdvice> {}
}

@Global()
@Module({})
class NodeModule {
  static with(node: CapabilityNode, more: readonly Provider[]): DynamicModule {
    const providers: Provider[] = [
      { provide: EVENT_STORE, useValue: node.store },
      { provide: KEY_STORE, useValue: node.keys },
      { provide: READ_MODEL, useValue: node.runner },
      { provide: CLOCK, useValue: node.clock },
      { provide: RANDOM_BYTES, useValue: randomBytes },
      {
        provide: CONFIG_TOKEN,
        useValue: { ...CONFIG, a2a: { ...CONFIG.a2a, agents: node.hosted } },
      },
      { provide: HOSTED_AGENTS, useValue: node.hosted },
      { provide: HANDLERS_OF_AGENTS, useValue: new Map() },
      { provide: BACKEND_TOKEN_SIGNING, useValue: {} },
      { provide: RegistrationAdvice, useValue: new FewExamples(node) },
      { provide: HealthRegistry, useValue: new HealthRegistry() },
      ...more,
    ];
    return { module: NodeModule, providers, exports: providers };
  }
}

@Module({})
class RestModule {
  static with(node: CapabilityNode, more: readonly Provider[]): DynamicModule {
    return {
      module: RestModule,
      imports: [
        NodeModule.with(node, more),
        CqrsModule.forRoot(),
        AgentsModule,
        CapabilitiesModule,
      ],
    };
  }
}

export interface RestAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: JsonObject;
}

export interface RestCall {
  readonly by?: Caller;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The context over real HTTP; who a token stands for is told by the test. */
export class RestApp {
  readonly #callers = new Map<string, Caller>();

  private constructor(
    readonly node: CapabilityNode,
    private readonly app: NestFastifyApplication,
    callers: Map<string, Caller>,
    private readonly url: string,
  ) {
    this.#callers = callers;
  }

  /** @param more what the modules of the context find besides its ports */
  static async start(options: NodeOptions = {}, more: readonly Provider[] = []): Promise<RestApp> {
    const node = await CapabilityNode.open(options);
    const callers = new Map<string, Caller>();
    const edge = createEdge({
      publicBaseUrl: BASE_URL,
      authenticate: (authorization) => {
        const caller = callers.get(authorization ?? '');
        if (caller === undefined) throw new RejectionException({ code: 'token-missing' });
        return caller;
      },
      reaches: (position) => logReaches(node.store, position, CONFIG.readWaitMs),
      isDraining: () => false,
    });
    const app = await NestFactory.create<NestFastifyApplication>(
      RestModule.with(node, more),
      edge.adapter,
      { logger: false, bodyParser: false, abortOnError: false },
    );
    app.useGlobalFilters(new ProblemFilter(edge.problems));
    app.useGlobalPipes(new DtoPipe());
    serveOpenApi(app, BASE_URL);
    await app.listen(0, '127.0.0.1');
    return new RestApp(node, app, callers, await app.getUrl());
  }

  /** What of the module's own, not the node's. */
  get<Part>(token: Type<Part> | Abstract<Part>): Part {
    return this.app.get(token, { strict: false });
  }

  /** The ledger that the module made, not the node's. */
  get ledger(): InvocationLedger {
    return this.app.get(InvocationLedger, { strict: false });
  }

  async call(method: string, path: string, call: RestCall = {}): Promise<RestAnswer> {
    const { by, body, headers } = call;
    const token = by && `Bearer ${this.#tokenOf(by)}`;
    const response = await fetch(`${this.url}${path}`, {
      method,
      headers: {
        ...(token === undefined ? {} : { authorization: token }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      body: text === '' ? {} : (JSON.parse(text) as JsonObject),
    };
  }

  async dispose(): Promise<void> {
    await this.app.close();
    await this.node.dispose();
  }

  #tokenOf(caller: Caller): string {
    const { principal, client, agent, tenant, scopes } = caller;
    const said = [principal, client, agent, tenant, ...scopes];
    const token = Buffer.from(JSON.stringify(said)).toString('base64url');
    this.#callers.set(`Bearer ${token}`, caller);
    return token;
  }
}
