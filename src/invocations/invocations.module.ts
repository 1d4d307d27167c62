import { Module } from '@nestjs/common';
import { UsageFigures } from '../capabilities/queries/usage-figures.js';
import { InvocationLedger } from './commands/invocation-ledger.js';
import { InvocationExecution } from './invocation-execution.js';
import { LoggedInvocations } from './logged-invocations.js';
import { ProjectedUsage } from './projected-usage.js';

/** The record of calls, and the figures that others ask of it. Ports come from the root module. */
@Module({
  providers: [
    InvocationExecution,
    { provide: InvocationLedger, useClass: LoggedInvocations },
    { provide: UsageFigures, useClass: ProjectedUsage },
  ],
  exports: [InvocationLedger, UsageFigures],
})
export class InvocationsModule {}
