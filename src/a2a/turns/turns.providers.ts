import type { Provider } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { CapabilityRegistry } from '../../capabilities/queries/capability-registry.js';
import { SchemaJudges } from '../../capabilities/queries/schemas/schema-judges.js';
import type { Config } from '../../config/config.js';
import { CLOCK, CONFIG } from '../../config/tokens.js';
import { HANDLERS_OF_AGENTS, type HandlersOfAgents } from '../../handlers/handlers-of-agents.js';
import { logFault, logReport } from '../../http/fault-log.js';
import { ContractsBetween } from '../../interactions/queries/contracts-between.js';
import { ApprovalLedger } from '../../invocations/commands/approval-ledger.js';
import { Backends } from '../../invocations/commands/backends.js';
import { CallTokens } from '../../invocations/commands/call-tokens.js';
import { InvocationLedger } from '../../invocations/commands/invocation-ledger.js';
import { ApprovalSubjects } from '../../invocations/queries/approval-subjects.js';
import { Authorizer } from '../../invocations/queries/authorizer.js';
import type { Clock } from '../../kernel/timestamp.js';
import { MessageRouter } from '../routing/message-router.js';
import type { PushConfigs, Tasks } from '../tasks/port.js';
import { PUSH_CONFIGS, TASKS } from '../tokens.js';
import { MessageExecution } from './agent-operations.js';
import { ApprovedTurns } from './approved-turns.js';
import { HandlerRegistry } from '../handlers/handler-registry.js';
import { HeldSubjects } from './held-subjects.js';
import { messageHandling, type MessageHandling } from './message-handling.js';
import { RunningTurns } from './running-turns.js';

/** The objects that handle messages, by the one that makes them. */
const MESSAGE_HANDLING = Symbol('MessageHandling');

/**
 * What runs handlers. They want the providers of `routing.providers.ts`, Nest's `DiscoveryModule`, `HANDLERS_OF_AGENTS`,
 * `CapabilityRegistry`, `Authorizer`, `InvocationLedger`, `ApprovalLedger`, `Backends`, `CallTokens`, `ContractsBetween`, `TASKS`,
 * `PUSH_CONFIGS`, `CONFIG` and `CLOCK`.
 */
export const TURN_PROVIDERS: readonly Provider[] = [
  {
    provide: HandlerRegistry,
    inject: [DiscoveryService, HANDLERS_OF_AGENTS],
    useFactory: (discovery: DiscoveryService, ofAgents: HandlersOfAgents) =>
      new HandlerRegistry(discovery, ofAgents),
  },
  {
    provide: RunningTurns,
    inject: [CLOCK],
    useFactory: (clock: Clock) => new RunningTurns(clock),
  },
  {
    provide: ApprovalSubjects,
    inject: [TASKS, CONFIG],
    useFactory: (tasks: Tasks, { a2a }: Config) =>
      new HeldSubjects(tasks, a2a.directInvokeExtensionUri),
  },
  {
    provide: MESSAGE_HANDLING,
    inject: [
      CapabilityRegistry,
      MessageRouter,
      HandlerRegistry,
      SchemaJudges,
      Authorizer,
      InvocationLedger,
      ApprovalLedger,
      Backends,
      CallTokens,
      ContractsBetween,
      RunningTurns,
      TASKS,
      PUSH_CONFIGS,
      CONFIG,
      CLOCK,
    ],
    useFactory: (
      registry: CapabilityRegistry,
      router: MessageRouter,
      handlers: HandlerRegistry,
      schemas: SchemaJudges,
      authorizer: Authorizer,
      ledger: InvocationLedger,
      approvals: ApprovalLedger,
      backends: Backends,
      tokens: CallTokens,
      contracts: ContractsBetween,
      turns: RunningTurns,
      tasks: Tasks,
      pushConfigs: PushConfigs,
      { a2a }: Config,
      clock: Clock,
    ) =>
      messageHandling({
        ...{ registry, router, handlers, schemas, authorizer, ledger, approvals, backends, tokens },
        ...{ contracts, turns, tasks, pushConfigs, clock, config: a2a },
        fault: logFault,
        report: logReport,
      }),
  },
  {
    provide: MessageExecution,
    inject: [MESSAGE_HANDLING],
    useFactory: ({ messages }: MessageHandling) => messages,
  },
  {
    provide: ApprovedTurns,
    inject: [MESSAGE_HANDLING],
    useFactory: ({ approvedTurns }: MessageHandling) => approvedTurns,
  },
];
