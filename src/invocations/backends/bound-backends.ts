import type { OnApplicationShutdown, OnModuleInit } from '@nestjs/common';
import type { DiscoveryService } from '@nestjs/core';
import { backendSummary } from '../../capabilities/domain/backend-summary.js';
import type { HostedAgent } from '../../config/hosted-agents.js';
import { StartupError } from '../../config/startup-error.js';
import type { HandlersOfAgents } from '../../handlers/handlers-of-agents.js';
import { namedInstances } from '../../handlers/named-instances.js';
import type { Chance } from '../../kernel/chance.js';
import { Faults } from '../../kernel/document-reader.js';
import type { AgentId } from '../../kernel/ids.js';
import type { JsonObject } from '../../kernel/json.js';
import type { Fault } from '../../kernel/rejection.js';
import type { Clock } from '../../kernel/timestamp.js';
import { Backends, type Backend } from '../commands/backends.js';
import type { BackendTokens } from './backend-tokens.js';
import {
  directInvokeRegistration,
  type DirectInvokeImplementation,
} from './direct-invoke-handler.js';
import { exchangeOf } from './exchange-of.js';
import { InProcessBackend } from './in-process-backend.js';
import { RemoteBackend } from './remote-backend.js';

/** The backends that a deployment binds: handlers of its modules, and addresses of its agents' file. */
export class BoundBackends extends Backends implements OnModuleInit, OnApplicationShutdown {
  readonly #bound = new Map<AgentId, ReadonlyMap<string, Backend>>();
  readonly #remote: RemoteBackend[] = [];

  constructor(
    private readonly discovery: DiscoveryService,
    private readonly hosted: readonly HostedAgent[],
    private readonly handlers: HandlersOfAgents,
    private readonly tokens: BackendTokens,
    private readonly clock: Clock,
    private readonly chance: Chance,
  ) {
    super();
  }

  override get(agentId: AgentId, handler: string): Backend | undefined {
    return this.#bound.get(agentId)?.get(handler);
  }

  /** @throws {StartupError} when two backends of an agent have one name, a class is no implementation, or a summary says
   * more than a card may */
  async onModuleInit(): Promise<void> {
    const inProcess = namedInstances<DirectInvokeImplementation>(this.discovery, this.handlers, {
      nameOf: (type) => directInvokeRegistration(type)?.name,
      method: 'invoke',
    });
    const faults: string[] = [];
    for (const agent of this.hosted) {
      const { agentId } = agent;
      const bound = new Map<string, Backend>();
      for (const [name, instance] of inProcess.get(agentId) ?? []) {
        const { summary } = directInvokeRegistration(instance.constructor) ?? { summary: {} };
        for (const { pointer, detail } of summaryFaults(summary)) {
          faults.push(`${agentId}: the summary of handler ${name}: ${pointer} ${detail}`);
        }
        bound.set(name, new InProcessBackend(summary, instance, this.tokens));
      }
      for (const [name, backend] of await this.#remoteOf(agent)) {
        if (bound.has(name)) {
          faults.push(`${agentId}: a handler and an entry of \`backends\` are both named ${name}`);
        }
        bound.set(name, backend);
      }
      this.#bound.set(agentId, bound);
    }
    if (faults.length > 0) throw new StartupError(faults);
  }

  /** Requests have been answered by then: what is still under way is waited for by nobody. */
  onApplicationShutdown(): void {
    for (const backend of this.#remote) backend.close();
  }

  async #remoteOf({ backends }: HostedAgent): Promise<ReadonlyMap<string, RemoteBackend>> {
    const remote = new Map<string, RemoteBackend>();
    for (const [name, binding] of backends) {
      const exchange = await exchangeOf(binding);
      const { tokens, clock, chance } = this;
      remote.set(name, new RemoteBackend(binding, exchange, tokens, clock, chance));
    }
    this.#remote.push(...remote.values());
    return remote;
  }
}

/** What cards may not say. */
function summaryFaults(summary: JsonObject): readonly Fault[] {
  const faults = new Faults();
  backendSummary(summary, '', faults);
  return faults.all;
}
