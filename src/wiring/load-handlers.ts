import { pathToFileURL } from 'node:url';
import { handlerNameOf } from '../a2a/handlers/capability-handler.js';
import type { HostedAgent } from '../config/hosted-agents.js';
import { StartupError } from '../config/startup-error.js';
import type { HandlerClass, HandlersOfAgents } from '../handlers/handlers-of-agents.js';
import { directInvokeRegistration } from '../invocations/backends/direct-invoke-handler.js';
import type { AgentId } from '../kernel/ids.js';

/**
 * Loads the modules of handlers that hosted agents name: each exports `handlers`, a list of classes
 * with `@CapabilityHandler`, `@DirectInvokeHandler` or both.
 * @throws {StartupError} with everything that cannot be loaded or is none
 */
export async function loadHandlers(agents: readonly HostedAgent[]): Promise<HandlersOfAgents> {
  const faults: string[] = [];
  const handlers = new Map<AgentId, readonly HandlerClass[]>();
  for (const { agentId, handlers: files } of agents) {
    const ofAgent: HandlerClass[] = [];
    for (const file of files) ofAgent.push(...(await handlersIn(file, faults)));
    handlers.set(agentId, ofAgent);
  }
  if (faults.length > 0) throw new StartupError([...new Set(faults)]);
  return handlers;
}

async function handlersIn(file: string, faults: string[]): Promise<readonly HandlerClass[]> {
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
  return (exported as unknown[]).filter((handler, index): handler is HandlerClass => {
    if (isHandler(handler)) return true;
    const needed = '@CapabilityHandler or @DirectInvokeHandler';
    faults.push(`${file}: handlers[${String(index)}] is no class with ${needed}`);
    return false;
  });
}

function isHandler(value: unknown): value is HandlerClass {
  if (typeof value !== 'function') return false;
  return handlerNameOf(value) !== undefined || directInvokeRegistration(value) !== undefined;
}
