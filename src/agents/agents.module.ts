import { Module } from '@nestjs/common';
import { AgentExecution } from './agent-execution.js';
import { AgentKeysController } from './agent-keys.controller.js';
import { AgentReads } from './agent-reads.js';
import { AgentWrites } from './agent-writes.js';
import { AgentsController } from './agents.controller.js';
import { PerformAgentCommandHandler } from './commands/perform-agent-command-handler.js';
import { AgentAtHandler } from './queries/agent-at-handler.js';
import { AgentBeforeHandler } from './queries/agent-before-handler.js';
import { AgentHeadsHandler } from './queries/agent-heads-handler.js';
import { ListAgentsHandler } from './queries/list-agents-handler.js';

/** Agents, their keys and policies. Ports and buses come from the root module. */
@Module({
  controllers: [AgentsController, AgentKeysController],
  providers: [
    AgentExecution,
    AgentReads,
    AgentWrites,
    PerformAgentCommandHandler,
    AgentAtHandler,
    AgentBeforeHandler,
    AgentHeadsHandler,
    ListAgentsHandler,
  ],
  exports: [AgentAtHandler, AgentHeadsHandler],
})
export class AgentsModule {}
