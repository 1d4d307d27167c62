import { Injectable, type OnModuleInit, type Type } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { StartupError } from '../../config/startup-error.js';
import type { AgentId } from '../../kernel/ids.js';
import type { CapabilityImplementation } from './capability-call.js';
import { handlerNameOf } from './capability-handler.js';

/** A class with `@CapabilityHandler`. */
export type Handler = Type<CapabilityImplementation>;

/**
 * Which handlers are whose: a manifest of one agent never reaches the handler of another, whoever
 * may write manifests.
 */
export type HandlersOfAgents = ReadonlyMap<AgentId, readonly Handler[]>;

/** What the container hands out under this name: {@link HandlersOfAgents}. */
export const HANDLERS_OF_AGENTS = Symbol('HandlersOfAgents');

/** The implementations of capabilities in this process, by agent and the names of their handlers. */
export interface Handlers {
  get(agentId: AgentId, name: string): CapabilityImplementation | undefined;
}

/** Finds the instances of the handlers that hosted agents have. */
@Injectable()
export class HandlerRegistry implements Handlers, OnModuleInit {
  readonly #handlers = new Map<AgentId, ReadonlyMap<string, CapabilityImplementation>>();

  constructor(
    private readonly discovery: DiscoveryService,
    private readonly ofAgents: HandlersOfAgents,
  ) {}

  get(agentId: AgentId, name: string): CapabilityImplementation | undefined {
    return this.#handlers.get(agentId)?.get(name);
  }

  /** @throws {StartupError} when two classes have one name, or one is nothing that can be called */
  onModuleInit(): void {
    const faults = new Set<string>();
    for (const [agentId, classes] of this.ofAgents) {
      const handlers = new Map<string, CapabilityImplementation>();
      for (const type of new Set(classes)) {
        const name = handlerNameOf(type) ?? '';
        const instance = this.#instanceOf(type, name, faults);
        if (handlers.has(name)) faults.add(`handler ${name}: two classes have this name`);
        else if (instance !== undefined) handlers.set(name, instance);
      }
      this.#handlers.set(agentId, handlers);
    }
    if (faults.size > 0) throw new StartupError([...faults]);
  }

  #instanceOf(
    type: Handler,
    name: string,
    faults: Set<string>,
  ): CapabilityImplementation | undefined {
    const wrapper = this.discovery.getProviders().find(({ metatype }) => metatype === type);
    const instance: unknown = wrapper?.instance;
    if (!isImplementation(instance)) faults.add(`handler ${name}: its class has no handle()`);
    // What is made anew for every request is no instance yet.
    else if (wrapper?.isDependencyTreeStatic() !== true) {
      faults.add(`handler ${name}: is no singleton`);
    } else return instance;
    return undefined;
  }
}

function isImplementation(instance: unknown): instance is CapabilityImplementation {
  return (
    typeof instance === 'object' &&
    instance !== null &&
    'handle' in instance &&
    typeof instance.handle === 'function'
  );
}
