import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { StartupError } from '../../config/startup-error.js';
import type { CapabilityImplementation } from './capability-call.js';
import { handlerNameOf } from './capability-handler.js';

/** The implementations of capabilities in this process, by the names of their handlers. */
export interface Handlers {
  get(name: string): CapabilityImplementation | undefined;
}

/** Finds every provider of the application that `@CapabilityHandler` names. */
@Injectable()
export class HandlerRegistry implements Handlers, OnModuleInit {
  readonly #handlers = new Map<string, CapabilityImplementation>();

  constructor(private readonly discovery: DiscoveryService) {}

  get(name: string): CapabilityImplementation | undefined {
    return this.#handlers.get(name);
  }

  /** @throws {StartupError} when two classes have one name, or one is nothing that can be called */
  onModuleInit(): void {
    const faults: string[] = [];
    const types = new Map<string, unknown>();
    for (const wrapper of this.discovery.getProviders()) {
      const { metatype } = wrapper;
      const instance: unknown = wrapper.instance;
      const name = typeof metatype === 'function' ? handlerNameOf(metatype) : undefined;
      if (name === undefined) continue;
      const known = types.get(name);
      types.set(name, metatype);
      if (!isImplementation(instance)) faults.push(`handler ${name}: its class has no handle()`);
      // What is made anew for every request is no instance yet.
      else if (!wrapper.isDependencyTreeStatic()) faults.push(`handler ${name}: is no singleton`);
      else if (known === undefined) this.#handlers.set(name, instance);
      // One class may be a provider of several modules.
      else if (known !== metatype) faults.push(`handler ${name}: two classes have this name`);
    }
    if (faults.length > 0) throw new StartupError(faults);
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
