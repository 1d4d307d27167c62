import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { DirectBackends } from '../capabilities/queries/direct-backends.js';
import { UsageFigures } from '../capabilities/queries/usage-figures.js';
import { ApprovalDecisions } from './approval-decisions.js';
import { ApprovalReads } from './approval-reads.js';
import { ApprovalsController } from './approvals.controller.js';
import { BACKEND_PROVIDERS } from './backends/backends.providers.js';
import { ApprovalLedger } from './commands/approval-ledger.js';
import { Backends } from './commands/backends.js';
import { CallTokens } from './commands/call-tokens.js';
import { DecideApprovalHandler } from './commands/decide-approval-handler.js';
import { InvocationLedger } from './commands/invocation-ledger.js';
import { InvocationExecution } from './invocation-execution.js';
import { LoggedApprovals } from './logged-approvals.js';
import { LoggedInvocations } from './logged-invocations.js';
import { ProjectedUsage } from './projected-usage.js';
import { ListApprovalsHandler } from './queries/list-approvals-handler.js';
import { RefusalCounts } from './refusal-counts.js';

/**
 * The record of calls, approvals, the backends of direct calls, and the figures that others ask of it.
 * Ports and buses come from modules that are global; `ApprovalSubjects` too, where there is one.
 */
@Module({
  imports: [DiscoveryModule],
  controllers: [ApprovalsController],
  providers: [
    ...BACKEND_PROVIDERS,
    ApprovalDecisions,
    ApprovalReads,
    DecideApprovalHandler,
    ListApprovalsHandler,
    InvocationExecution,
    RefusalCounts,
    { provide: ApprovalLedger, useClass: LoggedApprovals },
    { provide: InvocationLedger, useClass: LoggedInvocations },
    { provide: UsageFigures, useClass: ProjectedUsage },
  ],
  exports: [ApprovalLedger, Backends, CallTokens, DirectBackends, InvocationLedger, UsageFigures],
})
export class InvocationsModule {}
