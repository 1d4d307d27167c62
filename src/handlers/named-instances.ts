import type { DiscoveryService } from '@nestjs/core';
import { StartupError } from '../config/startup-error.js';
import type { AgentId } from '../kernel/ids.js';
import type { HandlerClass, HandlersOfAgents } from './handlers-of-agents.js';

/** By agent and name. */
export type NamedInstances<T> = ReadonlyMap<AgentId, ReadonlyMap<string, T>>;

/** What makes a class one of those that are looked for. */
export interface Kind<T> {
  /** Undefined: it is none of them. */
  nameOf(type: HandlerClass): string | undefined;
  /** The method that every one of them has. */
  readonly method: keyof T & string;
}

/**
 * The container's instances of the classes of one kind that hosted agents have.
 * @throws {StartupError} when two classes of an agent have one name, or one is nothing that can be
 * called
 */
export function namedInstances<T extends object>(
  discovery: DiscoveryService,
  ofAgents: HandlersOfAgents,
  kind: Kind<T>,
): NamedInstances<T> {
  const faults = new Set<string>();
  const all = new Map<AgentId, ReadonlyMap<string, T>>();
  for (const [agentId, classes] of ofAgents) {
    const instances = new Map<string, T>();
    for (const type of new Set(classes)) {
      const name = kind.nameOf(type);
      if (name === undefined) continue;
      const instance = instanceOf(discovery, type, kind.method);
      if (typeof instance === 'string') faults.add(`handler ${name}: ${instance}`);
      else if (instances.has(name)) faults.add(`handler ${name}: two classes have this name`);
      else instances.set(name, instance);
    }
    all.set(agentId, instances);
  }
  if (faults.size > 0) throw new StartupError([...faults]);
  return all;
}

/** The instance, or what is wrong with it. */
function instanceOf<T extends object>(
  discovery: DiscoveryService,
  type: HandlerClass,
  method: keyof T & string,
): T | string {
  const wrapper = discovery.getProviders().find(({ metatype }) => metatype === type);
  const instance: unknown = wrapper?.instance;
  if (!hasMethod<T>(instance, method)) return `its class has no ${method}()`;
  // What is made anew for every request is no instance yet.
  return wrapper?.isDependencyTreeStatic() === true ? instance : 'is no singleton';
}

function hasMethod<T extends object>(instance: unknown, method: keyof T & string): instance is T {
  return (
    typeof instance === 'object' &&
    instance !== null &&
    method in instance &&
    typeof (instance as Readonly<Record<string, unknown>>)[method] === 'function'
  );
}
