import type { CommandBus, QueryBus } from '@nestjs/cqrs';
import { AgentBefore } from '../agents/queries/agent-before.js';
import { AgentHeads } from '../agents/queries/agent-heads.js';
import { PerformInteractionCommand } from '../interactions/commands/perform-interaction-command.js';
import { InteractionHead } from '../interactions/queries/interaction-head.js';
import type { Agents, Interactions } from './ports.js';

/** The interactions context, through its published command and query. */
export function interactionsOverBus(commands: CommandBus, queries: QueryBus): Interactions {
  return {
    find: async (interactionId) => await queries.execute(new InteractionHead(interactionId)),
    execute: async (interactionId, command, envelope) =>
      await commands.execute(
        new PerformInteractionCommand(interactionId, command, undefined, envelope),
      ),
  };
}

/** The agents context, through its published queries. */
export function agentsOverBus(queries: QueryBus): Agents {
  return {
    heads: async (agentIds) => await queries.execute(new AgentHeads(agentIds)),
    before: async (agentId, position) => await queries.execute(new AgentBefore(agentId, position)),
  };
}
