import type { CapabilityRegistry } from '../../capabilities/queries/capability-registry.js';
import type { SchemaJudges } from '../../capabilities/queries/schemas/schema-judges.js';
import type { A2aConfig } from '../../config/hosted-agents.js';
import type { ContractsBetween } from '../../interactions/queries/contracts-between.js';
import type { ApprovalLedger } from '../../invocations/commands/approval-ledger.js';
import type { Backends } from '../../invocations/commands/backends.js';
import type { CallTokens } from '../../invocations/commands/call-tokens.js';
import type { InvocationLedger } from '../../invocations/commands/invocation-ledger.js';
import type { Authorizer } from '../../invocations/queries/authorizer.js';
import type { Reporter } from '../../kernel/reporter.js';
import type { Clock } from '../../kernel/timestamp.js';
import { DirectIntake } from '../direct-invoke/direct-intake.js';
import { DirectPlanner } from '../direct-invoke/direct-planner.js';
import type { MessageRouter } from '../routing/message-router.js';
import type { PushConfigs, Tasks } from '../tasks/port.js';
import { AgentMessages } from './agent-messages.js';
import { ApprovalHolds } from './approval-holds.js';
import { ApprovedCalls } from './approved-calls.js';
import { ApprovedTurns } from './approved-turns.js';
import { CallPermissions } from './call-permissions.js';
import { CallRate } from './call-rate.js';
import type { Handlers } from '../handlers/handler-registry.js';
import { HeldCalls } from './held-calls.js';
import { Implementations } from './implementations.js';
import { MessageIntake } from './message-intake.js';
import type { RunningTurns } from './running-turns.js';
import { TurnAdmission } from './turn-admission.js';
import { TurnBeginning } from './turn-beginning.js';
import { TurnPlanner } from './turn-planner.js';
import { TurnStarter } from './turn-starter.js';

/** What the handling of messages takes from the rest of the service. */
export interface HandlingParts {
  readonly registry: CapabilityRegistry;
  readonly router: MessageRouter;
  readonly handlers: Handlers;
  readonly schemas: SchemaJudges;
  readonly authorizer: Authorizer;
  readonly ledger: InvocationLedger;
  readonly approvals: ApprovalLedger;
  readonly backends: Backends;
  readonly tokens: CallTokens;
  readonly contracts: Pick<ContractsBetween, 'named'>;
  readonly turns: RunningTurns;
  readonly tasks: Tasks;
  readonly pushConfigs: Pick<PushConfigs, 'check'>;
  readonly config: Pick<
    A2aConfig,
    | 'agents'
    | 'anonymous'
    | 'executionTimeoutMs'
    | 'approvalTimeoutMs'
    | 'trustExtensionUri'
    | 'directInvokeExtensionUri'
  >;
  readonly clock: Clock;
  readonly fault: (error: unknown, correlationId: string) => void;
  readonly report: Reporter;
}

/** What takes messages, and what goes on with those that waited. */
export interface MessageHandling {
  readonly messages: AgentMessages;
  readonly approvedTurns: ApprovedTurns;
}

/** Puts together what handles messages. */
export function messageHandling(parts: HandlingParts): MessageHandling {
  const { tasks, turns, ledger, config, clock } = parts;
  const { directInvokeExtensionUri, trustExtensionUri } = config;
  tasks.turnsAre(turns);
  const permissions = new CallPermissions(parts);
  const implementations = new Implementations(parts);
  const planner = new TurnPlanner({ ...parts, permissions, implementations });
  const directPlanner = new DirectPlanner({
    ...parts,
    permissions,
    // Without a URI nothing is read as a direct invoke, so that none is ever planned.
    uri: directInvokeExtensionUri ?? '',
    stopwatch: () => performance.now(),
  });
  const starter = new TurnStarter({
    ...parts,
    ...config,
    admission: new TurnAdmission(parts),
    holds: new ApprovalHolds({ ...parts, ...config }),
  });
  const beginning = new TurnBeginning({ ...parts, starter, rate: new CallRate() });
  const directIntake = new DirectIntake({ ...parts, directPlanner, beginning });
  const intake = new MessageIntake({ ...parts, ...config, planner, directIntake, beginning });
  const held = new HeldCalls({ ...config, planner, directPlanner });
  const calls = new ApprovedCalls({
    ...{ tasks, ledger, held, starter, turns, trustExtensionUri, clock },
  });
  return {
    messages: new AgentMessages(intake, tasks, turns, directInvokeExtensionUri),
    approvedTurns: new ApprovedTurns({ ...parts, calls }),
  };
}
