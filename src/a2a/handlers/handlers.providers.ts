import type { Provider } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { CapabilityRegistry } from '../../capabilities/queries/capability-registry.js';
import type { Config } from '../../config/config.js';
import { CLOCK, CONFIG } from '../../config/tokens.js';
import { logFault } from '../../http/fault-log.js';
import { InvocationLedger } from '../../invocations/commands/invocation-ledger.js';
import type { Clock } from '../../kernel/timestamp.js';
import { MessageRouter } from '../routing/message-router.js';
import type { PushConfigs, Tasks } from '../tasks/port.js';
import { PUSH_CONFIGS, TASKS } from '../tokens.js';
import { AgentMessages } from './agent-messages.js';
import { MessageExecution } from './agent-operations.js';
import { HANDLERS_OF_AGENTS, HandlerRegistry, type HandlersOfAgents } from './handler-registry.js';
import { MessageIntake } from './message-intake.js';
import { RunningTurns } from './running-turns.js';
import { TurnPlanner } from './turn-planner.js';
import { TurnStarter } from './turn-starter.js';

/**
 * What runs handlers. They want the providers of `routing.providers.ts`, Nest's `DiscoveryModule`, `HANDLERS_OF_AGENTS`,
 * `CapabilityRegistry`, `InvocationLedger`, `TASKS`, `PUSH_CONFIGS`, `CONFIG` and `CLOCK`.
 */
export const HANDLER_PROVIDERS: readonly Provider[] = [
  {
    provide: HandlerRegistry,
    inject: [DiscoveryService, HANDLERS_OF_AGENTS],
    useFactory: (discovery: DiscoveryService, ofAgents: HandlersOfAgents) =>
      new HandlerRegistry(discovery, ofAgents),
  },
  { provide: RunningTurns, useFactory: () => new RunningTurns() },
  {
    provide: MessageExecution,
    inject: [
      CapabilityRegistry,
      MessageRouter,
      HandlerRegistry,
      InvocationLedger,
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
      ledger: InvocationLedger,
      turns: RunningTurns,
      tasks: Tasks,
      pushConfigs: PushConfigs,
      { a2a: { executionTimeoutMs, anonymous, trustExtensionUri } }: Config,
      clock: Clock,
    ) => {
      const planner = new TurnPlanner(registry, router, handlers);
      const fault = logFault;
      const parts = { tasks, registry, ledger, turns, clock, fault, executionTimeoutMs };
      const starter = new TurnStarter(parts);
      const intake = new MessageIntake({
        tasks,
        pushConfigs,
        planner,
        starter,
        turns,
        anonymous,
        trustExtensionUri,
      });
      return new AgentMessages(intake, tasks);
    },
  },
];
