import type { Capability } from '../../capabilities/domain/capability.js';
import { entitled } from '../../capabilities/domain/entitlement.js';
import type { CapabilityRegistry } from '../../capabilities/queries/capability-registry.js';
import type { InvocationLedger } from '../../invocations/commands/invocation-ledger.js';
import type { Caller } from '../../kernel/caller.js';
import { deriveUuid, type Uuid } from '../../kernel/ids.js';
import { REJECTIONS } from '../../kernel/rejection.js';
import type { StoredTask, TaskChange } from '../tasks/domain/task.js';
import type { Tasks } from '../tasks/port.js';
import type { ReceivedMessage } from './received-message.js';
import type { RunningTurns, Slot } from './running-turns.js';
import { executionTime } from './limits.js';
import { sameTerms } from './same-terms.js';
import type { RunHandler } from './turn-plan.js';
import { Turn, type TurnParts } from './turn.js';

export interface StarterParts extends TurnParts {
  readonly tasks: Tasks;
  readonly registry: CapabilityRegistry;
  readonly ledger: InvocationLedger;
  readonly turns: RunningTurns;
  /** Longest run of a handler, in milliseconds, unless its manifest says less. */
  readonly executionTimeoutMs: number;
}

/** A turn that is about to be admitted; what of it stands on the task from the beginning. */
export interface PreparedTurn {
  readonly plan: RunHandler;
  readonly invocationId: Uuid;
  /** When the handler is stopped: milliseconds since the epoch. */
  readonly deadline: number;
  readonly routed: Extract<TaskChange, { kind: 'routed' }>;
}

/** A task with a turn under way in this process, or without. */
export interface BegunTurn {
  readonly stored: StoredTask;
  readonly turn: Turn | null;
}

/** From its deadline until a turn counts as lost: time enough to record that it did not end. */
const GRACE_MS = 10_000;

/** Admits turns and starts their handlers. The task is submitted already: that was the lock. */
export class TurnStarter {
  constructor(private readonly parts: StarterParts) {}

  prepare(plan: RunHandler, taskId: Uuid, messageId: string): PreparedTurn {
    const { manifest } = plan.capability;
    const invocationId = deriveUuid(['turn', taskId, messageId]);
    const deadline = this.parts.clock() + executionTime(manifest, this.parts.executionTimeoutMs);
    const binding = { skillId: manifest.id, handler: manifest.handler, invocationId };
    const { routing } = plan;
    const routed = { kind: 'routed', binding, routing, deadline: deadline + GRACE_MS } as const;
    return { plan, invocationId, deadline, routed };
  }

  /** Takes the slot over: it is free again when the turn has ended, or did not begin. */
  async start(
    received: ReceivedMessage,
    prepared: PreparedTurn,
    stored: StoredTask,
    slot: Slot,
  ): Promise<BegunTurn> {
    try {
      const refusal = await this.#admit(received, prepared, stored.task.id as Uuid);
      if (refusal !== undefined) {
        slot.release();
        return { stored: await this.#give(prepared, stored, refusal), turn: null };
      }
    } catch (error) {
      slot.release();
      // As far as that can be recorded, nobody waits for a turn that never begins.
      await this.#give(prepared, stored, FAILED).catch(() => undefined);
      throw error;
    }
    return { stored, turn: this.#run(received, prepared, stored, slot) };
  }

  /** The change with which the turn ends at once; undefined when it may run. */
  async #admit(
    { request, digest }: ReceivedMessage,
    { plan, invocationId, routed }: PreparedTurn,
    taskId: Uuid,
  ): Promise<TaskChange | undefined> {
    const { ledger, registry } = this.parts;
    const { capability, stream, routing } = plan;
    const { agentId, id: skillId, handler } = capability.manifest;
    const { caller } = request;
    const admitted = await ledger.admit(
      {
        invocationId,
        agentId,
        skillId,
        handler,
        caller,
        taskId,
        routing: { layer: routing.layer, confidence: routing.confidence },
        rule: 'entitlement',
        terms: null,
        argumentsDigest: digest,
        deadline: routed.deadline ?? 0,
        basedOn: { [stream]: capability.revision },
      },
      request,
    );
    if (!admitted.ok) {
      this.parts.fault(
        new Error(`invocation ${invocationId}: ${REJECTIONS[admitted.error.code]}`),
        request.correlationId,
      );
      return FAILED;
    }
    // What came between the look at the head and the admission came before the admission.
    const head = await registry.head(agentId, skillId);
    if (head !== undefined && stillStands(head.capability, capability, caller)) return undefined;
    await ledger.end(invocationId, 'voided', request);
    return VOIDED;
  }

  async #give(
    { invocationId }: PreparedTurn,
    { task }: StoredTask,
    end: TaskChange,
  ): Promise<StoredTask> {
    const recorded = await this.parts.tasks.record(task.id as Uuid, invocationId, [end]);
    return recorded.ok ? recorded.value : recorded.error.task;
  }

  #run(
    { request }: ReceivedMessage,
    { plan, invocationId, deadline }: PreparedTurn,
    stored: StoredTask,
    slot: Slot,
  ): Turn {
    const { implementation, capability, routing, outputModes, message } = plan;
    const { manifest } = capability;
    const turn = new Turn(this.parts, {
      implementation,
      call: {
        message: { ...message, taskId: stored.task.id, contextId: stored.task.contextId },
        task: stored.task,
        caller: request.caller,
        grant: { invocationId, manifest, routing, outputModes, deadline },
      },
      stored,
      origin: { correlationId: request.correlationId, traceparent: request.traceparent },
    });
    slot.occupy(turn);
    this.parts.turns.inBackground(turn.closed);
    void turn.closed.then(() => slot.release());
    return turn;
  }
}

/** Does what was admitted still hold at the head? Other changes of the capability are no matter of it. */
function stillStands(head: Capability, admitted: Capability, caller: Caller | null): boolean {
  if (head.revision === admitted.revision) return true;
  return entitled(head, caller) && sameTerms(admitted.manifest, head.manifest);
}

const FAILED: TaskChange = {
  kind: 'status',
  state: 'TASK_STATE_FAILED',
  parts: [{ text: 'The call could not be recorded, so nothing was run.' }],
};

const VOIDED: TaskChange = {
  kind: 'status',
  state: 'TASK_STATE_REJECTED',
  parts: [
    {
      text:
        'The capability changed while the message was on its way, so nothing was run. ' +
        'Send it again, with a new message id.',
    },
  ],
};
