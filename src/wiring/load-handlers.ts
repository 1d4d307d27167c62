import { pathToFileURL } from 'node:url';
import type { Handler, HandlersOfAgents } from '../a2a/handlers/handler-registry.js';
import { handlerNameOf } from '../a2a/handlers/capability-handler.js';
import type { HostedAgent } from '../config/hosted-agents.js';
import { StartupError } from '../config/startup-error.js';
import type { AgentId } from '../kernel/ids.js';

/**
 * Loads the modules of handlers that hosted agents name: each exports `handlers`, a list of classes
 * with `@CapabilityHandler`.
 * @throws {StartupError} with everything that cannot be loaded or is none
 */
export async function loadHandlers(agents: readonly HostedAgent[]): Promise<HandlersOfAgents> {
  const faults: string[] = [];
  const handlers = new Map<AgentId, readonly Handler[]>();
  for (const { agentId, handlers: files } of agents) {
    const ofAgent: Handler[] = [];
    for (const file of files) ofAgent.push(...(await handlersIn(file, faults)));
    handlers.set(agentId, ofAgent);
  }
  if (faults.length > 0) throw new StartupError([...new Set(faults)]);
  return handlers;
}

async function handlersIn(file: string, faults: string[]): Promise<readonly Handler[]> {
  let exported: unknown;
  try {
    const module = (await import(pathToFileURL(file).href)) as { readonly handlers?: unknown };
    exported = module.handlers;
  } catch (error) {
    faults.push(`${file} cannot be loaded: ${error instanceof Error ? error.message : 'unknown'}`);
    return [];
  }
  if (!Array.isArray(exported)) {
    faults.push(`${file} exports no list \`handlers\``);
    return [];
  }
  return (exported as unknown[]).filter((handler, index): handler is Handler => {
    if (isHandler(handler)) return true;
    faults.push(`${file}: handlers[${String(index)}] is no class with @CapabilityHandler`);
    return false;
  });
}

function isHandler(value: unknown): value is Handler {
  return typeof value === 'function' && handlerNameOf(value) !== undefined;
}
