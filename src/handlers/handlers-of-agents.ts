import type { Type } from '@nestjs/common';
import type { AgentId } from '../kernel/ids.js';

/** A class of a module of handlers: with `@CapabilityHandler`, `@DirectInvokeHandler`, or both. */
export type HandlerClass = Type<object>;

/**
 * Which handlers are whose: a manifest of one agent never reaches the handler of another, whoever
 * may write manifests.
 */
export type HandlersOfAgents = ReadonlyMap<AgentId, readonly HandlerClass[]>;

/** What the container hands out under this name: {@link HandlersOfAgents}. */
export const HANDLERS_OF_AGENTS = Symbol('HandlersOfAgents');
