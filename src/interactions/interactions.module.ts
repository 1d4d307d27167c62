import { Module } from '@nestjs/common';
import { AgentsModule } from '../agents/agents.module.js';
import { RegistryModule } from '../capabilities/registry.module.js';
import { VocabularyModule } from '../capabilities/vocabulary/vocabulary.module.js';
import { DecisionContexts } from './commands/decision-contexts.js';
import { PerformInteractionCommandHandler } from './commands/perform-interaction-command-handler.js';
import { ContractAdvice } from './contract-advice.js';
import { LoggedContracts } from './contracts/logged-contracts.js';
import { DueExpiries } from './due-expiries.js';
import { InteractionExecution } from './interaction-execution.js';
import { InteractionReadsController } from './interaction-reads.controller.js';
import { InteractionReads } from './interaction-reads.js';
import { InteractionWrites } from './interaction-writes.js';
import { InteractionsController } from './interactions.controller.js';
import { ContractsBetween } from './queries/contracts-between.js';
import { InteractionHeadHandler } from './queries/interaction-head-handler.js';
import { InteractionHistoryHandler } from './queries/interaction-history-handler.js';
import { ListInteractionsHandler } from './queries/list-interactions-handler.js';
import { ReadInteractionHandler } from './queries/read-interaction-handler.js';

/** Negotiation and its reads. The ports that it needs are handed out by the root module. */
@Module({
  imports: [AgentsModule, RegistryModule, VocabularyModule],
  controllers: [InteractionsController, InteractionReadsController],
  providers: [
    InteractionExecution,
    DueExpiries,
    InteractionReads,
    InteractionWrites,
    ContractAdvice,
    DecisionContexts,
    PerformInteractionCommandHandler,
    InteractionHeadHandler,
    ReadInteractionHandler,
    InteractionHistoryHandler,
    ListInteractionsHandler,
    { provide: ContractsBetween, useClass: LoggedContracts },
  ],
  exports: [ContractsBetween],
})
export class InteractionsModule {}
