import { Module } from '@nestjs/common';
import { CapabilityExecution } from './capability-execution.js';
import { ProjectedRegistry } from './projected-registry.js';
import { CapabilityRegistry } from './queries/capability-registry.js';

/** The registry, for whoever reads capabilities and changes none. */
@Module({
  providers: [CapabilityExecution, { provide: CapabilityRegistry, useClass: ProjectedRegistry }],
  exports: [CapabilityExecution, CapabilityRegistry],
})
export class RegistryModule {}
