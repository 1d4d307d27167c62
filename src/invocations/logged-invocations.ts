import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { RANDOM_BYTES } from '../config/tokens.js';
import type { RememberedStream, RandomBytes } from '../event-store/command-execution.js';
import type { Actor } from '../kernel/envelope.js';
import type { Uuid } from '../kernel/ids.js';
import type { Rejection, RejectionCode } from '../kernel/rejection.js';
import { ok, type Result } from '../kernel/result.js';
import { timestampOf } from '../kernel/timestamp.js';
import type { ReadModel } from '../projections/port.js';
import { READ_MODEL } from '../projections/tokens.js';
import {
  InvocationLedger,
  type Admission,
  type Origin,
  type OverdueInvocation,
} from './commands/invocation-ledger.js';
import type { InvocationCommand } from './domain/decider.js';
import type { InvocationState } from './domain/invocation.js';
import type { InvocationOutcome } from './domain/outcome.js';
import { invocationStream } from './domain/stream.js';
import { InvocationExecution } from './invocation-execution.js';
import { recordedCaller, envelopeOf, onceEnvelopeOf } from './ledger-envelope.js';

/** The service itself says how a call ended. */
const LEDGER: Actor = { principal: 'process:invocations', agent: null, tenant: null };

/** Whoever dies between taking a message and admitting its call leaves no invocation behind. */
const NOTHING_TO_GIVE_UP: ReadonlySet<RejectionCode> = new Set([
  'invocation-not-found',
  'invocation-not-overdue',
] as const);

/** More than run in one process at a time; others are read when they end. */
const MAX_RUNNING = 2_000;

/** The ledger on the log: `no-stream` is the lock, so that no two nodes run one call. */
@Injectable()
export class LoggedInvocations extends InvocationLedger {
  /** Admitted here, and not ended here yet: nothing has to be read to end them. */
  readonly #running = new LRUCache<Uuid, RememberedStream<InvocationState>>({ max: MAX_RUNNING });

  constructor(
    private readonly execution: InvocationExecution,
    @Inject(READ_MODEL) private readonly readModel: ReadModel,
    @Inject(RANDOM_BYTES) private readonly random: RandomBytes,
  ) {
    super();
  }

  async admit(admission: Admission, context: Origin): Promise<Result<undefined, Rejection>> {
    const { caller, deadline, basedOn, ...rest } = admission;
    const invocation = {
      caller: caller && recordedCaller(caller),
      deadline: timestampOf(deadline),
      ...rest,
    };
    const content = { kind: 'admit', target: admission.invocationId, body: invocation };
    const envelope = onceEnvelopeOf(caller, content, this.random, context);
    const command: InvocationCommand = { kind: 'admit', invocation };
    const { invocationId } = admission;
    const { nothing } = this.execution.repository;
    const stored = await this.execution.record(invocationId, command, envelope, basedOn, nothing);
    if (!stored.ok) return stored;
    const { sent } = stored.value;
    if (sent !== undefined) this.#running.set(invocationId, sent.after);
    return ok(undefined);
  }

  async end(
    invocationId: Uuid,
    outcome: InvocationOutcome,
    context: Origin,
    resultDigest: string | null = null,
  ): Promise<void> {
    const said = { outcome, resultDigest };
    const refused = await this.#end({ kind: 'end', invocationId, ...said }, said, context);
    if (refused !== undefined) throw new Error(notEnded(invocationId, refused));
  }

  async giveUp(invocationId: Uuid, context: Origin): Promise<void> {
    const refused = await this.#end({ kind: 'give-up', invocationId }, {}, context);
    if (refused === undefined || NOTHING_TO_GIVE_UP.has(refused)) return;
    throw new Error(notEnded(invocationId, refused));
  }

  async #end(
    command: Extract<InvocationCommand, { readonly kind: 'end' | 'give-up' }>,
    body: object,
    context: Origin,
  ): Promise<RejectionCode | undefined> {
    const { kind, invocationId } = command;
    const content = { kind, target: invocationId, body };
    const envelope = envelopeOf(LEDGER, content, undefined, context);
    const running = this.#running.get(invocationId);
    this.#running.delete(invocationId);
    const stored = await this.execution.record(invocationId, command, envelope, {}, running);
    return stored.ok ? undefined : stored.error.code;
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
         ORDER BY deadline, invocation_id LIMIT +?`,
      )
      .all(timestampOf(now), after?.deadline ?? '', after?.invocationId ?? '', limit);
  }
}

function notEnded(invocationId: Uuid, code: RejectionCode): string {
  return `${invocationStream(invocationId)} could not be ended: ${code}`;
}
