import { Module } from '@nestjs/common';
import { InvocationsModule } from '../invocations/invocations.module.js';
import { CapabilitiesController } from './capabilities.controller.js';
import { CapabilityChangesController } from './capability-changes.controller.js';
import { CapabilityOptInsController } from './capability-opt-ins.controller.js';
import { CapabilityReads } from './capability-reads.js';
import { CapabilityWrites } from './capability-writes.js';
import { CapabilityCommands } from './commands/capability-commands.js';
import { CapabilityContexts } from './commands/capability-contexts.js';
import { CardPublication } from './commands/card-publication.js';
import { CardPublisher } from './commands/card-publisher.js';
import { PerformCapabilityCommandHandler } from './commands/perform-capability-command-handler.js';
import { CapabilityLoader } from './manifest-files/capability-loader.js';
import { RegisteredBackends } from './manifest-files/registered-backends.js';
import { RegistrySurvey } from './manifest-files/registry-survey.js';
import { CapabilityAtHandler } from './queries/capability-at-handler.js';
import { ListCapabilitiesHandler } from './queries/list-capabilities-handler.js';
import { SchemaJudges } from './queries/schemas/schema-judges.js';
import { RegistryModule } from './registry.module.js';
import { VocabularyModule } from './vocabulary/vocabulary.module.js';

/**
 * Capabilities, their registry and its REST interface. Ports, buses and
 * `RegistrationAdvice` come from modules that are global.
 */
@Module({
  imports: [InvocationsModule, RegistryModule, VocabularyModule],
  controllers: [CapabilitiesController, CapabilityChangesController, CapabilityOptInsController],
  providers: [
    CapabilityAtHandler,
    CapabilityCommands,
    CapabilityContexts,
    CapabilityLoader,
    RegisteredBackends,
    RegistrySurvey,
    CapabilityReads,
    CapabilityWrites,
    ListCapabilitiesHandler,
    PerformCapabilityCommandHandler,
    SchemaJudges,
    { provide: CardPublication, useClass: CardPublisher },
  ],
  exports: [
    CapabilityAtHandler,
    CardPublication,
    CapabilityLoader,
    RegistryModule,
    SchemaJudges,
    VocabularyModule,
  ],
})
export class CapabilitiesModule {}
