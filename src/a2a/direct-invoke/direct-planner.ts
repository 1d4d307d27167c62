import type { Capability } from '../../capabilities/domain/capability.js';
import type { CapabilityRegistry } from '../../capabilities/queries/capability-registry.js';
import type { SchemaJudges } from '../../capabilities/queries/schemas/schema-judges.js';
import type { Backend, Backends } from '../../invocations/commands/backends.js';
import type { Grant } from '../../invocations/domain/authorization.js';
import type { AuthorizationAnswer } from '../../invocations/queries/authorizer.js';
import type { Uuid } from '../../kernel/ids.js';
import { err, ok, type Result } from '../../kernel/result.js';
import { isOfContract } from '../turns/authorization-refusals.js';
import type { CallPermissions } from '../turns/call-permissions.js';
import type { CapabilityImplementation } from '../handlers/capability-call.js';
import { sizeRefusal } from '../turns/limits.js';
import type { ReceivedMessage } from '../turns/received-message.js';
import type { DirectTurn, PlannedDirectCall } from '../turns/turn-plan.js';
import { invocationIdOf } from '../turns/turn-planner.js';
import { usableReplacement } from '../routing/replacement.js';
import type { A2aRefusal } from '../wire/refusal.js';
import type { DirectCall } from './direct-call.js';
import {
  argumentsRefusal,
  backendNotFound,
  forbidden,
  keyOfNobody,
  outputModesOf,
  skillNotBound,
  skillNotFound,
  unauthorized,
} from './direct-checks.js';
import { DirectImplementation, type DirectInvocation } from './direct-implementation.js';
import { directRouting, directTurn } from './direct-turn.js';
import { payloadPointer } from './read-direct-call.js';

/** What direct invokes are planned by. */
export interface DirectPlannerParts extends Pick<DirectInvocation, 'stopwatch' | 'report'> {
  readonly registry: Pick<CapabilityRegistry, 'of'>;
  readonly permissions: CallPermissions;
  readonly backends: Backends;
  readonly schemas: SchemaJudges;
  /** URI of the extension. */
  readonly uri: string;
}

/**
 * Checks a direct invoke in the one order in which no answer tells of what it should not: visible,
 * bound, authenticated, arguments, authorized. What came before with the same key and whether the backend
 * is here (`direct.refusedLast`) come after that, in `direct-intake.ts`, and the limits in
 * `turns/turn-beginning.ts`. Records nothing but refusals.
 */
export class DirectPlanner {
  constructor(private readonly parts: DirectPlannerParts) {}

  /**
   * Refuses with `SKILL_NOT_FOUND`, `SKILL_NOT_BOUND`, `UNAUTHORIZED`, `INVALID_METADATA` (an
   * idempotency key of a caller without a token), `INVALID_ARGUMENTS`, ContentTypeNotSupported
   * `output-modes-unmet` and `FORBIDDEN`.
   *
   * @param taskId of the task that the message begins
   */
  async plan(
    received: ReceivedMessage,
    call: DirectCall,
    taskId: Uuid,
  ): Promise<Result<PlannedDirectCall, A2aRefusal>> {
    const { permissions, backends } = this.parts;
    const answer = await permissions.ask(received, call.skillId);
    const visible = this.#visible(received, call, answer);
    if (!visible.ok) return visible;
    const modes = this.#wellFormed(received, call, visible.value);
    if (!modes.ok) {
      permissions.count(modes.error.code ?? modes.error.error);
      return modes;
    }
    const { decision, basedOn } = answer;
    const turn = directTurn(received.request, call, this.parts.uri);
    if (decision.kind === 'refusal') {
      const { code } = decision;
      if (!isOfContract(code)) return err(skillNotFound(call));
      const { argumentsDigest, byKey } = turn;
      const { messageId } = received.params.message;
      const invocationId = invocationIdOf(taskId, messageId, byKey);
      const refused = { skillId: call.skillId, refusal: decision, basedOn, invocationId };
      permissions.record(received, { ...refused, argumentsDigest });
      return err(forbidden(call, { ...decision, code }));
    }
    const { agentId, handler } = decision.capability.manifest;
    const backend = backends.get(agentId, handler);
    return ok({
      kind: 'call',
      grant: decision,
      basedOn,
      handler,
      implementation: this.#implementation(received, call, decision, backend),
      routing: directRouting(call),
      outputModes: modes.value,
      message: received.params.message,
      argumentsDigest: turn.argumentsDigest,
      takesArguments: true,
      direct: { refusedLast: refusedLast(received, decision, turn, call, backend), ...turn },
    });
  }

  #visible(
    { request: { agent, caller } }: ReceivedMessage,
    call: DirectCall,
    { decision, capability }: AuthorizationAnswer,
  ): Result<Capability, A2aRefusal> {
    const { permissions, registry } = this.parts;
    if (decision.kind === 'refusal' && !isOfContract(decision.code))
      permissions.count(decision.code);
    const code = decision.kind === 'grant' ? null : decision.code;
    if (capability === null || code === 'not-entitled') return err(skillNotFound(call));
    if (code !== 'capability-removed') return ok(capability);
    const capabilities = registry.of(agent.agentId);
    return err(skillNotFound(call, usableReplacement(capabilities, capability, caller)));
  }

  /** What is the same whoever calls, once somebody may see the skill: the output modes, or why not. */
  #wellFormed(
    { request: { caller }, params }: ReceivedMessage,
    call: DirectCall,
    capability: Capability,
  ): Result<readonly string[], A2aRefusal> {
    const { directInvoke } = capability.manifest;
    if (directInvoke === null) return err(skillNotBound(call));
    if (caller === null && !directInvoke.allowUnauthenticated) return err(unauthorized(call));
    const payload = payloadPointer(this.parts.uri);
    if (caller === null && call.idempotencyKey !== null) return err(keyOfNobody(call, payload));
    const unfit = argumentsRefusal(this.parts.schemas, directInvoke, call, payload);
    if (unfit !== undefined) return err(unfit);
    const accepted = params.configuration?.acceptedOutputModes;
    return outputModesOf(capability, call, accepted, payload);
  }

  #implementation(
    { request: { traceparent, receivedAt } }: ReceivedMessage,
    call: DirectCall,
    { capability }: Grant,
    backend: Backend | undefined,
  ): CapabilityImplementation {
    const { uri, schemas, stopwatch, report } = this.parts;
    if (backend === undefined) return ABSENT;
    const { directInvoke } = capability.manifest;
    return new DirectImplementation({
      ...{ uri, call, backend, traceparent, stopwatch, report, receivedAt },
      output: directInvoke === null ? null : schemas.of(directInvoke.outputSchema),
    });
  }
}

/** What is asked last: may the message be so large, and is the backend here? */
function refusedLast(
  { params: { message } }: ReceivedMessage,
  { capability: { manifest } }: Grant,
  turn: Pick<DirectTurn, 'refusal'>,
  call: DirectCall,
  backend: Backend | undefined,
): A2aRefusal | null {
  const tooBig = sizeRefusal(manifest, message);
  if (tooBig !== undefined) return turn.refusal(tooBig);
  return backend === undefined ? backendNotFound(call) : null;
}

/** Of a plan that says that it cannot run here: whoever runs it nevertheless has a fault. */
const ABSENT: CapabilityImplementation = {
  handle: () => {
    throw new Error('a direct invoke without a backend was run');
  },
};
