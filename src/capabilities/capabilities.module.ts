import { Module } from '@nestjs/common';
import { InvocationsModule } from '../invocations/invocations.module.js';
import { CapabilitiesController } from './capabilities.controller.js';
import { CapabilityChangesController } from './capability-changes.controller.js';
import { CapabilityExecution } from './capability-execution.js';
import { CapabilityOptInsController } from './capability-opt-ins.controller.js';
import { CapabilityReads } from './capability-reads.js';
import { CapabilityWrites } from './capability-writes.js';
import { CapabilityCommands } from './commands/capability-commands.js';
import { CapabilityContexts } from './commands/capability-contexts.js';
import { CardPublication } from './commands/card-publication.js';
import { CardPublisher } from './commands/card-publisher.js';
import { PerformCapabilityCommandHandler } from './commands/perform-capability-command-handler.js';
import { CapabilityLoader } from './manifest-files/capability-loader.js';
import { RegistrySurvey } from './manifest-files/registry-survey.js';
import { ProjectedRegistry } from './projected-registry.js';
import { CapabilityRegistry } from './queries/capability-registry.js';
import { ListCapabilitiesHandler } from './queries/list-capabilities-handler.js';

/**
 * Capabilities, their registry and its REST interface. Ports, buses and
 * `RegistrationAdvice` come from modules that are global.
 */
@Module({
  imports: [InvocationsModule],
  controllers: [CapabilitiesController, CapabilityChangesController, CapabilityOptInsController],
  providers: [
    CapabilityCommands,
    CapabilityContexts,
    CapabilityExecution,
    CapabilityLoader,
    RegistrySurvey,
    CapabilityReads,
    CapabilityWrites,
    ListCapabilitiesHandler,
    PerformCapabilityCommandHandler,
    { provide: CardPublication, useClass: CardPublisher },
    { provide: CapabilityRegistry, useClass: ProjectedRegistry },
  ],
  exports: [CardPublication, CapabilityLoader, CapabilityRegistry],
})
export class CapabilitiesModule {}
