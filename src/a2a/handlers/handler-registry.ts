import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import type { HandlersOfAgents } from '../../handlers/handlers-of-agents.js';
import { namedInstances, type NamedInstances } from '../../handlers/named-instances.js';
import type { AgentId } from '../../kernel/ids.js';
import type { CapabilityImplementation } from './capability-call.js';
import { handlerNameOf } from './capability-handler.js';

/** The implementations of capabilities in this process, by agent and the names of their handlers. */
export interface Handlers {
  get(agentId: AgentId, name: string): CapabilityImplementation | undefined;
}

/** Finds the instances of the handlers that hosted agents have. */
@Injectable()
export class HandlerRegistry implements Handlers, OnModuleInit {
  #handlers: NamedInstances<CapabilityImplementation> = new Map();

  constructor(
    private readonly discovery: DiscoveryService,
    private readonly ofAgents: HandlersOfAgents,
  ) {}

  get(agentId: AgentId, name: string): CapabilityImplementation | undefined {
    return this.#handlers.get(agentId)?.get(name);
  }

  /** @throws {StartupError} when two classes have one name, or one is nothing that can be called */
  onModuleInit(): void {
    this.#handlers = namedInstances<CapabilityImplementation>(this.discovery, this.ofAgents, {
      nameOf: handlerNameOf,
      method: 'handle',
    });
  }
}
