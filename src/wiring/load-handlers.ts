import { pathToFileURL } from 'node:url';
import type { Type } from '@nestjs/common';
import type { CapabilityImplementation } from '../a2a/handlers/capability-call.js';
import { handlerNameOf } from '../a2a/handlers/capability-handler.js';
import { StartupError } from '../config/startup-error.js';

type Handler = Type<CapabilityImplementation>;

/**
 * Loads the modules of handlers that a deployment names: each exports `handlers`, a list of classes
 * with `@CapabilityHandler`.
 * @throws {StartupError} with everything that cannot be loaded or is none
 */
export async function loadHandlers(files: readonly string[]): Promise<readonly Handler[]> {
  const handlers: Handler[] = [];
  const faults: string[] = [];
  for (const file of files) {
    try {
      const { handlers: exported } = (await import(pathToFileURL(file).href)) as {
        readonly handlers?: unknown;
      };
      if (!Array.isArray(exported)) {
        faults.push(`${file} exports no list \`handlers\``);
        continue;
      }
      for (const [index, handler] of (exported as unknown[]).entries()) {
        if (isHandler(handler)) handlers.push(handler);
        else faults.push(`${file}: handlers[${String(index)}] is no class with @CapabilityHandler`);
      }
    } catch (error) {
      faults.push(
        `${file} cannot be loaded: ${error instanceof Error ? error.message : 'unknown'}`,
      );
    }
  }
  if (faults.length > 0) throw new StartupError(faults);
  return handlers;
}

function isHandler(value: unknown): value is Handler {
  return typeof value === 'function' && handlerNameOf(value) !== undefined;
}
