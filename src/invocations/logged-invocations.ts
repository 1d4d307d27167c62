import { Inject, Injectable } from '@nestjs/common';
import { RANDOM_BYTES } from '../config/tokens.js';
import {
  commandIdentity,
  type CommandEnvelope,
  type RandomBytes,
} from '../event-store/command-execution.js';
import type { Actor } from '../event-store/envelope.js';
import { encodeBase64Url } from '../kernel/base64url.js';
import type { Caller } from '../kernel/caller.js';
import type { Uuid } from '../kernel/ids.js';
import type { Rejection, RejectionCode } from '../kernel/rejection.js';
import { ok, type Result } from '../kernel/result.js';
import { timestampOf } from '../kernel/timestamp.js';
import type { ReadModel } from '../projections/port.js';
import { READ_MODEL } from '../projections/tokens.js';
import {
  InvocationLedger,
  type Admission,
  type OverdueInvocation,
} from './commands/invocation-ledger.js';
import type { InvocationCommand } from './domain/decider.js';
import type { AdmittedInvocation, InvocationCaller } from './domain/events.js';
import type { InvocationOutcome } from './domain/outcome.js';
import { invocationStream } from './domain/stream.js';
import { InvocationExecution } from './invocation-execution.js';

type Prepare = Parameters<InvocationExecution['store']>[3];
type Origin = Pick<CommandEnvelope, 'correlationId' | 'traceparent'>;

const ANONYMOUS: Actor = { principal: 'anonymous', agent: null, tenant: null };
/** The service itself says how a call ended. */
const LEDGER: Actor = { principal: 'process:invocations', agent: null, tenant: null };

/** Whoever dies between taking a message and admitting its call leaves no invocation behind. */
const NOTHING_TO_END: ReadonlySet<RejectionCode> = new Set([
  'invocation-not-found',
  'invocation-not-overdue',
] as const);

/** The ledger on the log: `no-stream` is the lock, so that no two nodes run one call. */
@Injectable()
export class LoggedInvocations extends InvocationLedger {
  constructor(
    private readonly execution: InvocationExecution,
    @Inject(READ_MODEL) private readonly readModel: ReadModel,
    @Inject(RANDOM_BYTES) private readonly random: RandomBytes,
  ) {
    super();
  }

  async admit(admission: Admission, context: Origin): Promise<Result<undefined, Rejection>> {
    const {
      caller,
      deadline,
      basedOn,
      rule: _r,
      terms: _t,
      argumentsDigest: _a,
      ...rest
    } = admission;
    const invocation: AdmittedInvocation = {
      ...rest,
      caller: caller && callerOf(caller),
      deadline: timestampOf(deadline),
    };
    const envelope = envelopeOf(
      caller === null ? ANONYMOUS : actorOf(caller),
      { kind: 'admit', target: admission.invocationId, body: invocation },
      // Never the same twice: the second admission is no retry of the first, and must not run.
      encodeBase64Url(this.random(16)),
      context,
    );
    const command: InvocationCommand = { kind: 'admit', invocation };
    const stream = invocationStream(admission.invocationId);
    const prepare: Prepare = async (_, now) => ok({ context: { now }, basedOn });
    const stored = await this.execution.store(stream, command, envelope, prepare, 'new');
    return stored.ok ? ok(undefined) : stored;
  }

  /**
   * That the outcome is unknown is not recorded before the deadline has passed, nor for what was
   * never admitted.
   * @throws for any other outcome of an invocation that was never admitted
   */
  async end(invocationId: Uuid, outcome: InvocationOutcome, context: Origin): Promise<void> {
    const envelope = envelopeOf(
      LEDGER,
      { kind: 'end', target: invocationId, body: { outcome } },
      undefined,
      context,
    );
    const command: InvocationCommand = { kind: 'end', invocationId, outcome };
    const stream = invocationStream(invocationId);
    const prepare: Prepare = async (_, now) => ok({ context: { now }, basedOn: {} });
    const stored = await this.execution.store(stream, command, envelope, prepare);
    if (stored.ok) return;
    if (outcome === 'outcome-unknown' && NOTHING_TO_END.has(stored.error.code)) return;
    throw new Error(`${stream} could not be ended: ${stored.error.code}`);
  }

  async overdue(
    now: number,
    limit: number,
    after?: OverdueInvocation,
  ): Promise<readonly OverdueInvocation[]> {
    return this.readModel
      .prepare<OverdueInvocation>(
        `SELECT invocation_id AS invocationId, task_id AS taskId, deadline FROM open_invocations
         WHERE deadline < ? AND (deadline, invocation_id) > (?, ?)
         ORDER BY deadline, invocation_id LIMIT ?`,
      )
      .all(timestampOf(now), after?.deadline ?? '', after?.invocationId ?? '', limit);
  }
}

function envelopeOf(
  actor: Actor,
  content: { readonly kind: string; readonly target: string; readonly body: unknown },
  idempotencyKey: string | undefined,
  origin: Origin,
): CommandEnvelope {
  const identity = commandIdentity({ actor, idempotencyKey, content, head: null });
  const { correlationId, traceparent } = origin;
  return { ...identity, actor, correlationId, causationId: null, traceparent };
}

function actorOf({ principal, agent, tenant }: Caller): Actor {
  return { principal, agent, tenant };
}

function callerOf({ principal, client, agent, tenant }: Caller): InvocationCaller {
  return { principal, client, agent, tenant };
}
